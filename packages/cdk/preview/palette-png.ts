import { createHash } from 'node:crypto';
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const COLORS = 256;
/** The word for what a picture was made of, by the standard of PNG. */
const SOURCE = 'Source';

/** A picture: so many bytes for each of its pixels, line by line. */
interface Picture {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly bytes: Buffer;
}

/**
 * A screenshot with at most 256 colours, a third of its size: the commonest stay, each other one becomes the nearest of
 * them. Takes what Chromium writes: 8 bits, with or without alpha, not interlaced. The picture says which page it is of, so that
 * an old one can be told from the page that is drawn today.
 */
export function palettePng(png: Buffer, page: string): Buffer {
  const { width, height, channels, bytes } = decode(png);
  const colors = Array.from({ length: width * height }, (_, pixel) => bytes.readUIntBE(pixel * channels, 3));
  const counts = new Map<number, number>();
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1);
  const commonest = [...counts].sort(([, one], [, other]) => other - one).slice(0, COLORS);
  const palette = commonest.map(([color]) => color);
  const indices = new Map([...counts.keys()].map((color) => [color, nearest(palette, color)]));

  const lines = Buffer.alloc(height * (width + 1));
  colors.forEach((color, pixel) => {
    lines[Math.floor(pixel / width) * (width + 1) + 1 + (pixel % width)] = indices.get(color) ?? 0;
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const table = Buffer.from(palette.flatMap(channelsOf));
  const chunks = [
    chunk('IHDR', header),
    chunk('tEXt', Buffer.from(`${SOURCE}\0${fingerprint(page)}`, 'latin1')),
    chunk('PLTE', table),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([SIGNATURE, ...chunks]);
}

/** Which page a picture is of. */
export function sourceOf(png: Buffer): string | undefined {
  const text = chunksOf(png).find(({ kind, body }) => kind === 'tEXt' && body.toString('latin1').startsWith(`${SOURCE}\0`));
  return text?.body.toString('latin1').slice(SOURCE.length + 1);
}

/** What tells a page from any other one. */
export function fingerprint(page: string): string {
  return `sha256:${createHash('sha256').update(page).digest('hex')}`;
}

function channelsOf(color: number): number[] {
  return [color >> 16, (color >> 8) & 255, color & 255];
}

function nearest(palette: readonly number[], color: number): number {
  const wanted = channelsOf(color);
  const distances = palette.map((other) => channelsOf(other).reduce((sum, value, index) => sum + (value - (wanted[index] ?? 0)) ** 2, 0));
  return distances.indexOf(Math.min(...distances));
}

function decode(png: Buffer): Picture {
  const chunks = chunksOf(png);
  const header = chunks.find(({ kind }) => kind === 'IHDR')?.body ?? Buffer.alloc(13);
  const data = chunks.filter(({ kind }) => kind === 'IDAT').map(({ body }) => body);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const channels = header[9] === 2 ? 3 : 4;
  if (header[8] !== 8 || (header[9] !== 2 && header[9] !== 6) || header[12] !== 0)
    throw new Error('only PNG of 8 bits a channel, in colour, not interlaced');
  return { width, height, channels, bytes: unfiltered(inflateSync(Buffer.concat(data)), width * channels, height, channels) };
}

function chunksOf(png: Buffer): { readonly kind: string; readonly body: Buffer }[] {
  const found = [];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    found.push({ kind: png.toString('latin1', at + 4, at + 8), body: png.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return found;
}

/** Undoes what each line of a PNG is predicted by: nothing, left, above, their mean, or the one of three that is nearest. */
function unfiltered(raw: Buffer, stride: number, height: number, channels: number): Buffer {
  const bytes = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x;
      const left = x < channels ? 0 : (bytes[at - channels] ?? 0);
      const above = y === 0 ? 0 : (bytes[at - stride] ?? 0);
      const corner = x < channels || y === 0 ? 0 : (bytes[at - stride - channels] ?? 0);
      bytes[at] = (raw[y * (stride + 1) + 1 + x] ?? 0) + predicted(filter, left, above, corner);
    }
  }
  return bytes;
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  if (filter !== 4) return 0;
  const guess = left + above - corner;
  const [toLeft, toAbove, toCorner] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

function chunk(kind: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(kind, 'latin1'), body]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
