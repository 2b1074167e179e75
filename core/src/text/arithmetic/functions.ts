import { Decimal } from 'decimal.js'

/** What has no value, as a sentence. */
export class ArithmeticFault extends Error {}

/** Digits that are calculated with: enough that a fraction which is multiplied back is whole again when it is shown. */
const PRECISION = 120
export const Value = Decimal.clone({ precision: PRECISION, maxE: 10_000, minE: -10_000 })
export type Value = Decimal

/** Digits of a number that is shown as it is, without the last ones, which may be rounded. */
const EXACT_DIGITS = 100
const SIGNIFICANT_DIGITS = 15
const MOST_PLACES = 40

interface MathFunction {
  /** How many arguments, at least and at most. */
  readonly takes: readonly [number, number]
  readonly apply: (...values: Value[]) => Value
}

const zero = new Value(0)
const one = (apply: (value: Value) => Value): MathFunction => ({ takes: [1, 1], apply: (a = zero) => apply(a) })
const two = (apply: (a: Value, b: Value) => Value): MathFunction => ({
  takes: [2, 2],
  apply: (a = zero, b = zero) => apply(a, b),
})
const many = (apply: (values: Value[]) => Value): MathFunction => ({
  takes: [1, 1000],
  apply: (...values) => apply(values),
})
/** Of the sine of pi nothing but the rounding of pi is left: it is cut off. */
const circular = (apply: (value: Value) => Value) =>
  one((value) => {
    // decimal.js throws where it has too few digits of pi, and goes on with thousands of digits
    if (value.e > PRECISION) throw new ArithmeticFault('the angle is too large')
    return apply(value).toDP(PRECISION - 10)
  })
const sum = (values: readonly Value[]): Value => Value.sum(...values)

/** What is left of a division whose quotient is rounded down: it has the sign of the divisor. */
export function modulo(a: Value, b: Value): Value {
  const quotient = a.div(b).floor()
  if (quotient.e >= PRECISION - 1) throw new ArithmeticFault('the number is too large')
  return a.sub(b.mul(quotient))
}

function round(value: Value, places: Value): Value {
  if (!places.isInteger() || places.abs().gt(100))
    throw new ArithmeticFault('the places of round have to be a whole number from -100 to 100')
  const scale = new Value(10).pow(places)
  return value.mul(scale).round().div(scale)
}

function logarithm(value: Value, base: Value): Value {
  if (value.lte(0)) throw new ArithmeticFault('the logarithm of a number that is not positive is not real')
  if (base.lte(0) || base.eq(1)) throw new ArithmeticFault('the base of a logarithm has to be positive and not 1')
  return value.log(base)
}

function greatestDivisor(a: Value, b: Value): Value {
  if (!a.isInteger() || !b.isInteger()) throw new ArithmeticFault('gcd and lcm are of whole numbers')
  let [x, y] = [a.abs(), b.abs()]
  while (!y.isZero()) [x, y] = [y, x.mod(y)]
  return x
}

/** Functions by name; angles in radians. */
export const FUNCTIONS: ReadonlyMap<string, MathFunction> = new Map(
  Object.entries({
    abs: one((x) => x.abs()),
    sqrt: one((x) => x.sqrt()),
    floor: one((x) => x.floor()),
    ceil: one((x) => x.ceil()),
    trunc: one((x) => x.trunc()),
    round: { takes: [1, 2], apply: (value = zero, places = zero) => round(value, places) },
    min: many((values) => Value.min(...values)),
    max: many((values) => Value.max(...values)),
    sum: many(sum),
    avg: many((values) => sum(values).div(values.length)),
    gcd: two(greatestDivisor),
    lcm: two((x, y) => (x.mul(y).isZero() ? zero : x.mul(y).abs().div(greatestDivisor(x, y)))),
    exp: one((x) => x.exp()),
    ln: one((x) => logarithm(x, toE())),
    log: { takes: [1, 2], apply: (value = zero, base = new Value(10)) => logarithm(value, base) },
    sin: circular((x) => x.sin()),
    cos: circular((x) => x.cos()),
    tan: circular((x) => x.tan()),
  } satisfies Record<string, MathFunction>),
)

const toPi = (): Value => Value.acos(-1)
const toE = (): Value => Value.exp(1)
/** Made where they are used: to 120 digits they take a thirtieth of what the import of svc takes. */
export const CONSTANTS: ReadonlyMap<string, () => Value> = new Map([
  ['pi', toPi],
  ['π', toPi],
  ['e', toE],
])

/** A value that is a real number and not too large to be shown. */
export function checked(value: Value): Value {
  if (value.isNaN()) throw new ArithmeticFault('the result is not a real number')
  if (!value.isFinite()) throw new ArithmeticFault('the result is too large')
  return value
}

/** An exact decimal where there is one of at most 100 digits and 40 places, else 15 significant digits. */
export function format(value: Value): string {
  if (Math.max(value.precision(true), value.e) < EXACT_DIGITS && value.decimalPlaces() <= MOST_PLACES)
    return value.toFixed()
  const rounded = value.toSD(SIGNIFICANT_DIGITS)
  return rounded.e > 20 || rounded.e < -7 ? rounded.toExponential() : rounded.toFixed()
}
