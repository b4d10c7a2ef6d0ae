/** Dollars for people: cents from ten dollars on, and below that as many digits as tell small bills apart. */
export function usdText(usd: number): string {
  const digits = usd >= 10 || usd === 0 ? 2 : usd >= 0.1 ? 3 : 4;
  return `$${usd.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}
