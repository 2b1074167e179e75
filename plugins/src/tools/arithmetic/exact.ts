/** Numbers that are exact as long as they can be: fractions of whole numbers, and floating point for the rest. */

/** A fraction in lowest terms; `bottom` is at least 1. */
export interface Fraction {
  readonly top: bigint
  readonly bottom: bigint
}
export type Quantity = Fraction | number

/** What cannot be calculated, as a sentence. */
export class ArithmeticFault extends Error {}

const MOST_BITS = 40_000
const SIGNIFICANT_DIGITS = 15
const MOST_PLACES = 40

export const isExact = (value: Quantity): value is Fraction => typeof value !== 'number'
export const whole = (value: bigint): Fraction => ({ top: value, bottom: 1n })

/** A fraction in lowest terms. */
export function fraction(top: bigint, bottom: bigint): Fraction {
  if (bottom === 0n) throw new ArithmeticFault('division by zero')
  const divisor = gcd(top, bottom)
  const sign = bottom < 0n ? -1n : 1n
  const result = { top: (sign * top) / divisor, bottom: (sign * bottom) / divisor }
  if (bits(result.top) > MOST_BITS || bits(result.bottom) > MOST_BITS)
    throw new ArithmeticFault('the result is too large')
  return result
}

/** Reads digits with an optional point and exponent, such as `12.50e-3`. */
export function parseDecimal(text: string): Fraction {
  const [mantissa = '', exponentText] = text.toLowerCase().split('e')
  const [left = '', right = ''] = mantissa.split('.')
  const exponent = exponentText === undefined ? 0 : Number(exponentText)
  if (!Number.isInteger(exponent) || Math.abs(exponent) > 1000) throw new ArithmeticFault('the exponent is too large')
  const scale = exponent - right.length
  const digits = BigInt(`${left}${right}` || '0')
  return scale >= 0 ? whole(digits * 10n ** BigInt(scale)) : fraction(digits, 10n ** BigInt(-scale))
}

export function toNumber(value: Quantity): number {
  if (!isExact(value)) return value
  const direct = Number(value.top) / Number(value.bottom)
  return Number.isFinite(direct) && (direct !== 0 || value.top === 0n) ? direct : Number(toSignificant(value))
}

export function add(a: Quantity, b: Quantity): Quantity {
  if (isExact(a) && isExact(b)) return fraction(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom)
  return finite(toNumber(a) + toNumber(b))
}

export function negate(a: Quantity): Quantity {
  return isExact(a) ? { top: -a.top, bottom: a.bottom } : -a
}

export function multiply(a: Quantity, b: Quantity): Quantity {
  if (isExact(a) && isExact(b)) return fraction(a.top * b.top, a.bottom * b.bottom)
  return finite(toNumber(a) * toNumber(b))
}

export function divide(a: Quantity, b: Quantity): Quantity {
  if (compare(b, whole(0n)) === 0) throw new ArithmeticFault('division by zero')
  if (isExact(a) && isExact(b)) return fraction(a.top * b.bottom, a.bottom * b.top)
  return finite(toNumber(a) / toNumber(b))
}

/** What is left of a division whose quotient is rounded down: it has the sign of the divisor. */
export function modulo(a: Quantity, b: Quantity): Quantity {
  return add(a, negate(multiply(b, round(divide(a, b), 'floor'))))
}

export function power(base: Quantity, exponent: Quantity): Quantity {
  if (isExact(base) && isExact(exponent) && exponent.bottom === 1n) {
    const times = exponent.top < 0n ? -exponent.top : exponent.top
    if (base.top === 0n && exponent.top < 0n) throw new ArithmeticFault('division by zero')
    const size = Math.max(bits(base.top), bits(base.bottom))
    if (size <= 1 || (times <= 100_000n && size * Number(times) <= MOST_BITS)) {
      // of -1, 0 and 1 only the parity of the exponent counts
      const raised = size <= 1 ? 2n - (times % 2n) : times
      const exponentOrZero = times === 0n ? 0n : raised
      const result = { top: base.top ** exponentOrZero, bottom: base.bottom ** exponentOrZero }
      return exponent.top < 0n ? fraction(result.bottom, result.top) : result
    }
  }
  return finite(toNumber(base) ** toNumber(exponent))
}

export function compare(a: Quantity, b: Quantity): number {
  if (isExact(a) && isExact(b)) {
    const left = a.top * b.bottom
    const right = b.top * a.bottom
    return left < right ? -1 : left > right ? 1 : 0
  }
  return Math.sign(toNumber(a) - toNumber(b))
}

/** To a whole number; `half` rounds halves away from zero. */
export function round(value: Quantity, way: 'floor' | 'ceil' | 'trunc' | 'half'): Quantity {
  if (!isExact(value)) {
    return way === 'half' ? Math.sign(value) * Math.round(Math.abs(value)) : Math[way](value)
  }
  const { top, bottom } = value
  const truncated = top / bottom
  const rest = top % bottom
  if (rest === 0n || way === 'trunc') return whole(truncated)
  const away = truncated + (top < 0n ? -1n : 1n)
  if (way === 'half') return whole(2n * (rest < 0n ? -rest : rest) >= bottom ? away : truncated)
  return whole((way === 'floor') === top < 0n ? away : truncated)
}

/** The square root, exact where there is one. */
export function squareRoot(value: Quantity): Quantity {
  if (compare(value, whole(0n)) < 0) throw new ArithmeticFault('the square root of a negative number is not real')
  if (!isExact(value)) return Math.sqrt(value)
  const top = wholeRoot(value.top)
  const bottom = wholeRoot(value.bottom)
  const isSquare = top * top === value.top && bottom * bottom === value.bottom
  return isSquare ? { top, bottom } : Math.sqrt(toNumber(value))
}

/** An exact decimal where there is one of at most 40 places, else 15 significant digits. */
export function format(value: Quantity): string {
  if (!isExact(value)) return String(Number(finite(value).toPrecision(SIGNIFICANT_DIGITS)))
  const places = decimalPlaces(value.bottom)
  if (places === undefined) return String(Number(toSignificant(value)))
  const scaled = (value.top * 10n ** BigInt(places)) / value.bottom
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(places + 1, '0')
  const point = digits.length - places
  return `${scaled < 0n ? '-' : ''}${digits.slice(0, point)}${places === 0 ? '' : `.${digits.slice(point)}`}`
}

export function finite(value: number): number {
  if (Number.isNaN(value)) throw new ArithmeticFault('the result is not a real number')
  if (!Number.isFinite(value)) throw new ArithmeticFault('the result is too large')
  return value
}

/** Places after the point that a fraction with this bottom takes; undefined when they never end, or are over 40. */
function decimalPlaces(bottom: bigint): number | undefined {
  let rest = bottom
  let twos = 0
  let fives = 0
  for (; rest % 2n === 0n && twos <= MOST_PLACES; twos++) rest /= 2n
  for (; rest % 5n === 0n && fives <= MOST_PLACES; fives++) rest /= 5n
  const places = Math.max(twos, fives)
  return rest === 1n && places <= MOST_PLACES ? places : undefined
}

/** 17 significant digits in the exponent form. */
function toSignificant({ top, bottom }: Fraction): string {
  const size = top < 0n ? -top : top
  if (size === 0n) return '0'
  const guess = size.toString().length - bottom.toString().length
  const shift = 17 - guess
  const digits = shift >= 0 ? (size * 10n ** BigInt(shift)) / bottom : size / (bottom * 10n ** BigInt(-shift))
  const value = Number(`${digits}e${-shift}`)
  return `${top < 0n ? '-' : ''}${finite(value).toPrecision(SIGNIFICANT_DIGITS)}`
}

function wholeRoot(value: bigint): bigint {
  if (value < 2n) return value
  // Newton's method from above
  let root = 1n << BigInt(Math.ceil(bits(value) / 2) + 1)
  for (;;) {
    const next = (root + value / root) >> 1n
    if (next >= root) return root
    root = next
  }
}

function gcd(a: bigint, b: bigint): bigint {
  let x = a < 0n ? -a : a
  let y = b < 0n ? -b : b
  while (y > 0n) [x, y] = [y, x % y]
  return x
}

/** Bits of a whole number, at most three too many. */
function bits(value: bigint): number {
  const size = value < 0n ? -value : value
  return size < 2n ? Number(size) : size.toString(16).length * 4
}
