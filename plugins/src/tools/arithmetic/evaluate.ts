/**
 * Calculates an expression while it is read: operator precedence by binding powers (Pratt, "Top Down Operator
 * Precedence", 1973). From weak to strong: `+ -`, then `* / % mod of`, then a sign, then `^` (from the right), then the
 * percent sign after a number.
 */
import { nearest } from '@svc/core/text'
import {
  ArithmeticFault,
  add,
  divide,
  modulo,
  multiply,
  negate,
  parseDecimal,
  power,
  type Quantity,
  whole,
} from './exact.ts'
import { CONSTANTS, FUNCTIONS } from './functions.ts'

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
  readonly value: Quantity
  readonly percent: boolean
}

const DEEPEST = 200
const hundred = whole(100n)
const SUM = 10
const PRODUCT = 20
const SIGN = 30
const POWER = 40

const NUMBER = /(?:\d[\d_]*(?:\.\d[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?/y
const GROUPED = /\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?/y
const NAME = /[\p{L}][\p{L}\d]*/uy
const SPACE = /\s*/y

/**
 * The value of an expression.
 *
 * @throws ExpressionFault where it cannot be read or has no value
 */
export function evaluate(expression: string): Quantity {
  return new Reader(expression).readAll()
}

class Reader {
  readonly #text: string
  #at = 0
  #depth = 0
  /** Inside the parentheses of a function a comma parts arguments; elsewhere it groups thousands. */
  #inArguments = false

  constructor(text: string) {
    this.#text = text
  }

  readAll(): Quantity {
    const { value } = this.#readTerm(0)
    this.#take('=')
    if (this.#at < this.#text.length) throw this.#fault(this.#describeRest())
    return value
  }

  #readTerm(power: number): Term {
    if (++this.#depth > DEEPEST) throw this.#fault(`is nested deeper than ${DEEPEST} levels`)
    let left = this.#readPrefix()
    for (;;) {
      const start = this.#skipSpace()
      const next = this.#readInfix(left, power)
      if (next === undefined) break
      left = next
      if (this.#at === start) break
    }
    this.#depth--
    return left
  }

  #readPrefix(): Term {
    const start = this.#skipSpace()
    if (this.#takeAny('-', '−')) {
      const { value, percent } = this.#readTerm(SIGN)
      return { value: negate(value), percent }
    }
    if (this.#take('+')) return this.#readTerm(SIGN)
    if (this.#take('(')) return { value: this.#readGroup(start), percent: false }
    const digits = (this.#inArguments ? undefined : this.#match(GROUPED)) ?? this.#match(NUMBER)
    if (digits !== undefined) {
      return { value: this.#try(start, () => parseDecimal(digits.replace(/[,_]/g, ''))), percent: false }
    }
    const name = this.#match(NAME)
    if (name !== undefined) return { value: this.#readNamed(name.toLowerCase(), start), percent: false }
    const found = this.#text.slice(start, start + 1)
    throw this.#fault(
      `expected a number, a name or "(" ${found === '' ? 'but it ends' : `instead of ${JSON.stringify(found)}`}`,
    )
  }

  #readGroup(start: number): Quantity {
    const outer = this.#inArguments
    this.#inArguments = false
    const { value } = this.#readTerm(0)
    this.#inArguments = outer
    this.#expectClose(start)
    return value
  }

  #readNamed(name: string, start: number): Quantity {
    const constant = CONSTANTS.get(name)
    if (constant !== undefined) return constant
    const found = FUNCTIONS.get(name)
    if (found === undefined) {
      const meant = nearest(name, [...FUNCTIONS.keys(), ...CONSTANTS.keys()])
      throw this.#fault(`does not know ${JSON.stringify(name)}${meant ? `; did you mean ${meant}?` : ''}`, start)
    }
    this.#skipSpace()
    if (!this.#take('(')) throw this.#fault(`expected "(" after ${name}`)
    const open = this.#at - 1
    const outer = this.#inArguments
    this.#inArguments = true
    const values = [this.#readTerm(0).value]
    while (this.#take(',')) values.push(this.#readTerm(0).value)
    this.#inArguments = outer
    this.#expectClose(open)
    const [least, most] = found.takes
    if (values.length < least || values.length > most) {
      const wanted = least === most ? `${least}` : `${least} to ${most}`
      throw this.#fault(`${name} takes ${wanted} ${most === 1 ? 'argument' : 'arguments'}, not ${values.length}`, start)
    }
    return this.#try(start, () => found.apply(...values))
  }

  #readInfix(left: Term, power: number): Term | undefined {
    const start = this.#at
    const plain = (value: Quantity): Term => ({ value, percent: false })
    if (power < SUM) {
      if (this.#take('+')) return this.#addTo(left, start, false)
      if (this.#takeAny('-', '−')) return this.#addTo(left, start, true)
    }
    if (power < POWER && this.#takeAny('^', '**')) {
      const exponent = this.#readTerm(POWER - 1).value
      return plain(this.#try(start, () => raise(left.value, exponent)))
    }
    if (this.#text[start] === '%' && !this.#startsOperand(start + 1)) {
      this.#at++
      return { value: this.#try(start, () => divide(left.value, hundred)), percent: true }
    }
    if (power < PRODUCT) {
      const apply = this.#takeProduct()
      if (apply !== undefined) {
        const right = this.#readTerm(PRODUCT).value
        return plain(this.#try(start, () => apply(left.value, right)))
      }
    }
    return undefined
  }

  #takeProduct(): ((a: Quantity, b: Quantity) => Quantity) | undefined {
    if (this.#takeAny('*', '×', '·')) return multiply
    if (this.#takeAny('/', '÷')) return divide
    if (this.#take('%')) return modulo
    const start = this.#at
    const name = this.#match(NAME)?.toLowerCase()
    if (name === 'of') return multiply
    if (name === 'mod') return modulo
    this.#at = start
    return undefined
  }

  #addTo(left: Term, start: number, minus: boolean): Term {
    const right = this.#readTerm(SUM)
    const value = this.#try(start, () => {
      const amount = right.percent && !left.percent ? multiply(left.value, right.value) : right.value
      return add(left.value, minus ? negate(amount) : amount)
    })
    return { value, percent: left.percent && right.percent }
  }

  /** Whether a number, a name or a group begins here: then the `%` before it divides, else it means hundredths. */
  #startsOperand(at: number): boolean {
    SPACE.lastIndex = at
    SPACE.exec(this.#text)
    const next = SPACE.lastIndex
    NAME.lastIndex = next
    const name = NAME.exec(this.#text)?.[0].toLowerCase()
    return name === undefined ? /[\d.(]/.test(this.#text[next] ?? '') : name !== 'of' && name !== 'mod'
  }

  #expectClose(open: number): void {
    this.#skipSpace()
    if (this.#take(')')) return
    if (this.#at < this.#text.length) throw this.#fault(this.#describeRest())
    throw this.#fault('this "(" is not closed', open)
  }

  #describeRest(): string {
    const rest = this.#text.slice(this.#at, this.#at + 1)
    if (rest === ',') {
      return 'a comma parts the arguments of a function or groups thousands (1,234); a decimal point is "."'
    }
    return `expected an operator or the end instead of ${JSON.stringify(rest)}`
  }

  #try<T>(position: number, calculate: () => T): T {
    try {
      return calculate()
    } catch (error) {
      throw error instanceof ArithmeticFault ? this.#fault(error.message, position) : error
    }
  }

  #fault(message: string, at = this.#at): ExpressionFault {
    return new ExpressionFault(message, at + 1)
  }

  #skipSpace(): number {
    this.#match(SPACE)
    return this.#at
  }

  #takeAny(...texts: string[]): boolean {
    return texts.some((text) => this.#take(text))
  }

  #take(text: string): boolean {
    this.#skipSpace()
    if (!this.#text.startsWith(text, this.#at)) return false
    // `*` is not the beginning of `**`
    if (text === '*' && this.#text[this.#at + 1] === '*') return false
    this.#at += text.length
    return true
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }
}

function raise(base: Quantity, exponent: Quantity): Quantity {
  return power(base, exponent)
}
