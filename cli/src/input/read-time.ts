const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `90s`, `500ms`, `2m`, `1h`, `30d` in milliseconds; undefined for what is no time. @param unit of a plain number; default none */
export function toMs(text: string, unit = ''): number | undefined {
  const [, number, given = unit] = /^(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|d)?$/.exec(text) ?? []
  const ms = UNITS[given]
  return number === undefined || ms === undefined ? undefined : Number(number) * ms
}
