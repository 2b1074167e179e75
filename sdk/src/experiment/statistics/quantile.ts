/** The value below which a fraction of sorted values lies, with linear interpolation; NaN of none. */
export function quantile(sorted: ArrayLike<number>, fraction: number): number {
  const at = (sorted.length - 1) * fraction
  const below = sorted[Math.floor(at)] ?? Number.NaN
  const above = sorted[Math.ceil(at)] ?? Number.NaN
  return below + (above - below) * (at - Math.floor(at))
}
