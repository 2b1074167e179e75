/**
 * Calculates an expression while it is read: operator precedence by binding powers (Pratt, "Top Down Operator
 * Precedence", 1973). From weak to strong: `+ -`, then `* / % mod of`, then a sign, then `^` (from the right), then the
 * percent sign after a number.
 */
import { nearest } from '../nearest.ts'
import { ArithmeticFault, CONSTANTS, checked, FUNCTIONS, format, modulo, Value } from './functions.ts'

/** What is wrong with an expression, and at which character, from 1. */
export class ExpressionFault extends Error {
  readonly position: number
  constructor(message: string, position: number) {
    super(message)
    this.position = position
  }
}

/** A value, and whether it was written as a percentage: `80 + 15%` is 92. */
interface Term {
  readonly value: Value
  readonly isPercent: boolean
}

const DEEPEST = 200
const SUM = 10
const PRODUCT = 20
const SIGN = 30
const POWER = 40

const NUMBER = /(?:\d[\d_]*(?:\.\d[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?/y
const GROUPED = /\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?/y
const NAME = /\p{L}[\p{L}\d]*/uy
const SUM_SIGN = /[-+−]/y
const POWER_SIGN = /\^|\*\*/y
const PRODUCT_SIGN = /[*×·/÷%]|(?:of|mod)(?![\p{L}\d])/iuy
/** Hundredths: no number, name or group follows that could be divided by. */
const PERCENT = /%(?!\s*(?:[\d.(]|(?!(?:of|mod)(?![\p{L}\d]))\p{L}))/iuy

function multiply(sign: string, a: Value, b: Value): Value {
  if (!/[/÷%m]/.test(sign)) return a.mul(b)
  if (b.isZero()) throw new ArithmeticFault('division by zero')
  return /[/÷]/.test(sign) ? a.div(b) : modulo(a, b)
}

function raise(base: Value, exponent: Value): Value {
  if (base.isZero() && exponent.isNegative()) throw new ArithmeticFault('division by zero')
  return base.pow(exponent)
}

/**
 * The value of an expression, as it is shown: an exact decimal where there is one of less than 100 digits and at most
 * 40 places, else 15
 * significant digits.
 *
 * @throws ExpressionFault where it cannot be read or has no value
 */
export const evaluate = (expression: string): string => format(new Reader(expression).readAll())

class Reader {
  readonly #text: string
  #at = 0
  #depth = 0
  /** Inside the parentheses of a function a comma parts arguments; elsewhere it groups thousands. */
  #inArguments = false

  constructor(text: string) {
    this.#text = text
  }

  readAll(): Value {
    const { value } = this.#readTerm(0)
    this.#match(/=/y)
    this.#skipSpace()
    if (this.#at < this.#text.length) throw this.#unexpected()
    return value
  }

  #readTerm(binding: number): Term {
    if (++this.#depth > DEEPEST) throw this.#fault(`is nested deeper than ${DEEPEST} levels`)
    let left = this.#readPrefix()
    for (let next: Term | undefined = left; next !== undefined; next = this.#readInfix(left, binding)) left = next
    this.#depth--
    return left
  }

  #readPrefix(): Term {
    const sign = this.#match(SUM_SIGN)
    if (sign === '+') return this.#readTerm(SIGN)
    if (sign !== undefined) {
      const term = this.#readTerm(SIGN)
      return { ...term, value: term.value.neg() }
    }
    const start = this.#skipSpace()
    if (this.#match(/\(/y)) return { value: this.#readInside(start), isPercent: false }
    const digits = (this.#inArguments ? undefined : this.#match(GROUPED)) ?? this.#match(NUMBER)
    if (digits !== undefined)
      return { value: this.#try(start, () => new Value(digits.replace(/[,_]/g, ''))), isPercent: false }
    const name = this.#match(NAME)
    if (name !== undefined) return { value: this.#readNamed(name.toLowerCase(), start), isPercent: false }
    const found = this.#text.slice(start, start + 1)
    const seen = found === '' ? 'but it ends' : `instead of ${JSON.stringify(found)}`
    throw this.#fault(`expected a number, a name or "(" ${seen}`)
  }

  /** What stands between parentheses, the first of which is read. */
  #readInside(open: number, args?: Value[]): Value {
    const outer = this.#inArguments
    this.#inArguments = args !== undefined
    const { value } = this.#readTerm(0)
    args?.push(value)
    while (args && this.#match(/,/y)) args.push(this.#readTerm(0).value)
    this.#inArguments = outer
    if (this.#match(/\)/y)) return value
    throw this.#at < this.#text.length ? this.#unexpected() : this.#fault('this "(" is not closed', open)
  }

  #readNamed(name: string, start: number): Value {
    const constant = CONSTANTS.get(name)?.()
    if (constant !== undefined) return constant
    const found = FUNCTIONS.get(name)
    if (found === undefined) {
      const meant = nearest(name, [...FUNCTIONS.keys(), ...CONSTANTS.keys()])
      throw this.#fault(`does not know ${JSON.stringify(name)}${meant ? `; did you mean ${meant}?` : ''}`, start)
    }
    const open = this.#skipSpace()
    if (!this.#match(/\(/y)) throw this.#fault(`expected "(" after ${name}`)
    const values: Value[] = []
    this.#readInside(open, values)
    const [least, most] = found.takes
    if (values.length < least || values.length > most) {
      const wanted = least === most ? `${least}` : `${least} to ${most}`
      throw this.#fault(`${name} takes ${wanted} ${most === 1 ? 'argument' : 'arguments'}, not ${values.length}`, start)
    }
    return this.#try(start, () => found.apply(...values))
  }

  /** What an operator makes of the term before it; undefined where none follows that binds as strongly. */
  #readInfix(left: Term, binding: number): Term | undefined {
    const start = this.#skipSpace()
    const calculate = (apply: () => Value, isPercent = false): Term => ({ value: this.#try(start, apply), isPercent })
    if (binding < POWER && this.#match(POWER_SIGN)) {
      const exponent = this.#readTerm(POWER - 1).value
      return calculate(() => raise(left.value, exponent))
    }
    if (this.#match(PERCENT)) return calculate(() => left.value.div(100), true)
    const product = binding < PRODUCT ? this.#match(PRODUCT_SIGN)?.toLowerCase() : undefined
    if (product !== undefined) {
      const right = this.#readTerm(PRODUCT).value
      return calculate(() => multiply(product, left.value, right))
    }
    const sum = binding < SUM ? this.#match(SUM_SIGN) : undefined
    if (sum === undefined) return undefined
    const right = this.#readTerm(SUM)
    return calculate(() => {
      const amount = right.isPercent && !left.isPercent ? left.value.mul(right.value) : right.value
      return sum === '+' ? left.value.add(amount) : left.value.sub(amount)
    }, left.isPercent && right.isPercent)
  }

  #unexpected(): ExpressionFault {
    const rest = this.#text.slice(this.#at, this.#at + 1)
    return this.#fault(
      rest === ','
        ? 'a comma parts the arguments of a function or groups thousands (1,234); a decimal point is "."'
        : `expected an operator or the end instead of ${JSON.stringify(rest)}`,
    )
  }

  #try(position: number, calculate: () => Value): Value {
    try {
      return checked(calculate())
    } catch (error) {
      throw error instanceof ArithmeticFault ? this.#fault(error.message, position) : error
    }
  }

  #fault(message: string, at = this.#at): ExpressionFault {
    return new ExpressionFault(message, at + 1)
  }

  #skipSpace(): number {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++
    return this.#at
  }

  /** The text that a pattern finds here, behind white space; nothing is read where it finds none. */
  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#skipSpace()
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }
}
