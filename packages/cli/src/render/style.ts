/** How to set words off. On a terminal with colours, and as they are elsewhere. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  warn(text: string): string;
}

const asIs = (text: string): string => text;
const sequence = (on: number, off: number) => (text: string) => `\u001b[${on}m${text}\u001b[${off}m`;

export const PLAIN: Style = { bold: asIs, dim: asIs, good: asIs, bad: asIs, warn: asIs };
export const COLOURED: Style = {
  bold: sequence(1, 22),
  dim: sequence(2, 22),
  good: sequence(32, 39),
  bad: sequence(31, 39),
  warn: sequence(33, 39),
};

/** The style for a stream: colours only on a terminal that has them, and where neither `--no-color` nor `NO_COLOR` says no. */
export function styleFor(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv, wanted: boolean): Style {
  const { NO_COLOR: noColor, TERM: terminal } = env;
  return wanted && stream.isTTY === true && (noColor === undefined || noColor === '') && terminal !== 'dumb' ? COLOURED : PLAIN;
}
