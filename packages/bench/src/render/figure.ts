/** A measured number with three digits that mean something: 1,234,567 stays whole, 0.01234 becomes 0.0123, none is a dash. */
export function figure(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '-';
  if (value === 0) return '0';
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  const decimals = Math.min(Math.max(2 - magnitude, 0), 4);
  const rounded = Number(value.toFixed(decimals));
  return new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 }).format(magnitude >= 3 ? Number(value.toPrecision(3)) : rounded);
}

/** How many times as much: `12×`, `0.24×`. */
export function times(value: number | undefined): string {
  return value === undefined || !Number.isFinite(value) ? '-' : `${figure(value)}×`;
}
