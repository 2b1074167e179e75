/** Units by what they measure, each in the smallest of its kind that is named here. */
const KINDS: readonly Readonly<Record<string, number>>[] = [
  { mm: 1, cm: 10, m: 1000, km: 1_000_000, inch: 25.4, foot: 304.8, yard: 914.4, mile: 1_609_344 },
  { mg: 1, g: 1000, kg: 1_000_000, tonne: 1_000_000_000, ounce: 28_349.523125, pound: 453_592.37 },
  { ml: 1, cl: 10, l: 1000 },
  { ms: 1, second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 },
  {
    byte: 1,
    kb: 1000,
    mb: 1e6,
    gb: 1e9,
    tb: 1e12,
    kib: 1024,
    mib: 1_048_576,
    gib: 1_073_741_824,
    tib: 1_099_511_627_776,
  },
]

const NAMES: Readonly<Record<string, string>> = {
  millimet: 'mm',
  centimet: 'cm',
  kilomet: 'km',
  met: 'm',
  in: 'inch',
  ft: 'foot',
  feet: 'foot',
  inche: 'inch',
  milligram: 'mg',
  gram: 'g',
  kilogram: 'kg',
  kilo: 'kg',
  ton: 'tonne',
  oz: 'ounce',
  lb: 'pound',
  millilit: 'ml',
  lit: 'l',
  millisecond: 'ms',
  sec: 'second',
  s: 'second',
  min: 'minute',
  h: 'hour',
  b: 'byte',
  kilobyte: 'kb',
  megabyte: 'mb',
  gigabyte: 'gb',
  terabyte: 'tb',
}

const unitOf = (word: string): string => {
  const lower = word.toLowerCase()
  const plain = lower.length > 2 ? lower.replace(/s$/, '').replace(/(?<=met|lit)(?:re|er)$/, '') : lower
  return NAMES[plain] ?? plain
}

/** By how much a number of one unit is multiplied to be of another, as `top / bottom`; undefined for units of two kinds. */
export function factorOf(from: string, to: string): { top: number; bottom: number } | undefined {
  const [first, second] = [unitOf(from), unitOf(to)]
  const kind = KINDS.find((one) => first in one && second in one)
  const top = kind?.[first]
  const bottom = kind?.[second]
  return top === undefined || bottom === undefined || first === second ? undefined : { top, bottom }
}
