import {
  ArithmeticFault,
  add,
  compare,
  divide,
  finite,
  fraction,
  isExact,
  modulo,
  multiply,
  negate,
  power,
  type Quantity,
  round,
  squareRoot,
  toNumber,
  whole,
} from './exact.ts'

interface MathFunction {
  /** How many arguments, at least and at most. */
  readonly takes: readonly [number, number]
  readonly apply: (...values: Quantity[]) => Quantity
}

const zero = whole(0n)
const MANY = 1000

const one = (apply: (value: Quantity) => Quantity): MathFunction => ({ takes: [1, 1], apply: (a = zero) => apply(a) })
const two = (apply: (a: Quantity, b: Quantity) => Quantity): MathFunction => ({
  takes: [2, 2],
  apply: (a = zero, b = zero) => apply(a, b),
})
const many = (apply: (values: Quantity[]) => Quantity): MathFunction => ({
  takes: [1, MANY],
  apply: (...values) => apply(values),
})
const float = (apply: (value: number) => number) => one((value) => finite(apply(toNumber(value))))
/** Of the sine of pi nothing but the rounding of pi is left: it is cut off. */
const circular = (apply: (value: number) => number) => float((value) => Math.round(apply(value) * 1e15) / 1e15)
const pick = (wanted: number) =>
  many((values) => values.reduce((best, value) => (Math.sign(compare(value, best)) === wanted ? value : best)))
const sum = (values: readonly Quantity[]) => values.reduce(add, zero)

function roundTo(value: Quantity, places: Quantity): Quantity {
  if (!isExact(places) || places.bottom !== 1n || places.top > 100n || places.top < -100n) {
    throw new ArithmeticFault('the places of round have to be a whole number from -100 to 100')
  }
  const scale = power(whole(10n), places)
  return divide(round(multiply(exactly(value), scale), 'half'), scale)
}

/** A floating number as the shortest decimal that stands for it, so that rounding it is what people expect. */
function exactly(value: Quantity): Quantity {
  if (isExact(value)) return value
  const [, digits = '0', exponent = '0'] = /^(-?[\d.]{1,25})(?:e([+-]\d{1,4}))?$/.exec(String(value)) ?? []
  const [left = '', right = ''] = digits.split('.')
  const scale = Number(exponent) - right.length
  const top = BigInt(left + right)
  return scale >= 0 ? whole(top * 10n ** BigInt(scale)) : fraction(top, 10n ** BigInt(-scale))
}

function logarithm(value: Quantity, base?: Quantity): number {
  const x = toNumber(value)
  if (x <= 0) throw new ArithmeticFault('the logarithm of a number that is not positive is not real')
  if (base === undefined) return Math.log10(x)
  const b = toNumber(base)
  if (b <= 0 || b === 1) throw new ArithmeticFault('the base of a logarithm has to be positive and not 1')
  const result = b === 2 ? Math.log2(x) : b === 10 ? Math.log10(x) : Math.log(x) / Math.log(b)
  return finite(Number(result.toPrecision(15)))
}

function greatestDivisor(a: Quantity, b: Quantity): Quantity {
  if (!isExact(a) || !isExact(b) || a.bottom !== 1n || b.bottom !== 1n) {
    throw new ArithmeticFault('gcd and lcm are of whole numbers')
  }
  let [x, y] = [a.top < 0n ? -a.top : a.top, b.top < 0n ? -b.top : b.top]
  while (y > 0n) [x, y] = [y, x % y]
  return whole(x)
}

const absolute = (value: Quantity): Quantity => (compare(value, zero) < 0 ? negate(value) : value)

/** Functions by name; angles in radians. */
export const FUNCTIONS: ReadonlyMap<string, MathFunction> = new Map(
  Object.entries({
    abs: one(absolute),
    sign: one((value) => whole(BigInt(compare(value, zero)))),
    sqrt: one(squareRoot),
    cbrt: float(Math.cbrt),
    floor: one((value) => round(value, 'floor')),
    ceil: one((value) => round(value, 'ceil')),
    trunc: one((value) => round(value, 'trunc')),
    round: { takes: [1, 2], apply: (value = zero, places = zero) => roundTo(value, places) },
    min: pick(-1),
    max: pick(1),
    sum: many(sum),
    avg: many((values) => divide(sum(values), whole(BigInt(values.length)))),
    mean: many((values) => divide(sum(values), whole(BigInt(values.length)))),
    pow: two(power),
    mod: two(modulo),
    gcd: two(greatestDivisor),
    lcm: two((a, b) => {
      const divisor = greatestDivisor(a, b)
      return compare(divisor, zero) === 0 ? zero : absolute(divide(multiply(a, b), divisor))
    }),
    exp: float(Math.exp),
    ln: one((value) => logarithm(value, Math.E)),
    log: { takes: [1, 2], apply: (value = zero, base) => logarithm(value, base) },
    log2: one((value) => logarithm(value, 2)),
    log10: one((value) => logarithm(value)),
    sin: circular(Math.sin),
    cos: circular(Math.cos),
    tan: circular(Math.tan),
    asin: float(Math.asin),
    acos: float(Math.acos),
    atan: float(Math.atan),
    atan2: two((a, b) => Math.atan2(toNumber(a), toNumber(b))),
    hypot: many((values) => squareRoot(sum(values.map((value) => multiply(value, value))))),
  } satisfies Record<string, MathFunction>),
)

export const CONSTANTS: ReadonlyMap<string, number> = new Map([
  ['pi', Math.PI],
  ['π', Math.PI],
  ['e', Math.E],
  ['tau', 2 * Math.PI],
])
