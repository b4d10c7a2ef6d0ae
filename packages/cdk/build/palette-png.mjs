import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const COLORS = 256;

/**
 * A screenshot with at most 256 colours, which is a quarter of its size: the commonest stay, each other one becomes the
 * nearest of them. Takes what Chromium writes: 8 bits, with or without alpha, not interlaced.
 */
export function palettePng(png) {
  const { width, height, channels, rows } = decode(png);
  const counts = new Map();
  const colorAt = (offset) => (rows[offset] << 16) | (rows[offset + 1] << 8) | rows[offset + 2];
  for (let offset = 0; offset < rows.length; offset += channels) counts.set(colorAt(offset), (counts.get(colorAt(offset)) ?? 0) + 1);
  const palette = [...counts].sort((one, other) => other[1] - one[1]).slice(0, COLORS).map(([color]) => color);
  const nearest = new Map([...counts.keys()].map((color) => [color, nearestOf(palette, color)]));

  const lines = Buffer.alloc(height * (width + 1));
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    lines[Math.floor(pixel / width) * (width + 1) + 1 + (pixel % width)] = nearest.get(colorAt(pixel * channels));
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colors = Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]));
  const parts = [chunk('IHDR', header), chunk('PLTE', colors), chunk('IDAT', deflateSync(lines, { level: 9 })), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([SIGNATURE, ...parts]);
}

function nearestOf(palette, color) {
  const distance = (other) => [16, 8, 0].reduce((sum, shift) => sum + (((color >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0);
  return palette.reduce((best, other, index) => (distance(other) < distance(palette[best]) ? index : best), 0);
}

function decode(png) {
  if (!png.subarray(0, 8).equals(SIGNATURE)) throw new Error('not a PNG');
  const data = [];
  let header;
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const kind = png.toString('latin1', at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (kind === 'IHDR') header = body;
    if (kind === 'IDAT') data.push(body);
    at += 12 + length;
  }
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const channels = { 2: 3, 6: 4 }[header[9]];
  if (header[8] !== 8 || channels === undefined || header[12] !== 0) throw new Error('only 8 bits a channel, in colour, not interlaced');
  return { width, height, channels, rows: unfiltered(inflateSync(Buffer.concat(data)), width * channels, height, channels) };
}

/** Undoes what each line of a PNG was predicted by: nothing, left, above, their mean, or the one of three that is nearest. */
function unfiltered(raw, stride, height, channels) {
  const rows = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x += 1) {
      const left = x < channels ? 0 : rows[y * stride + x - channels];
      const above = y === 0 ? 0 : rows[(y - 1) * stride + x];
      const corner = x < channels || y === 0 ? 0 : rows[(y - 1) * stride + x - channels];
      const predicted = [0, left, above, (left + above) >> 1, filter === 4 ? paeth(left, above, corner) : 0][filter];
      rows[y * stride + x] = raw[y * (stride + 1) + 1 + x] + predicted;
    }
  }
  return rows;
}

function paeth(left, above, corner) {
  const guess = left + above - corner;
  const [toLeft, toAbove, toCorner] = [left, above, corner].map((value) => Math.abs(guess - value));
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

function chunk(kind, body) {
  const named = Buffer.concat([Buffer.from(kind, 'latin1'), body]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
