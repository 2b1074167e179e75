import { ask, type Maker } from './about-package.ts'
import type { Project } from './project.ts'
import { choose, numbersOf, pick, type Question } from './score.ts'

interface Sale {
  order: number
  region: string
  product: string
  amount: number
  quantity: number
  discount: number
}

const REGIONS = ['North', 'South', 'East', 'West']
const PRODUCTS = ['lamp', 'table', 'chair', 'sofa', 'rug']

/** A table made for a package: amounts with thousands separators, some below zero, discounts in percent. */
function makeSales(name: string): Sale[] {
  return Array.from({ length: 40 }, (_, order) => {
    const draw = (what: string, most: number): number => pick(`${name} ${what} ${order}`, most)
    return {
      order: order + 1,
      region: REGIONS[draw('region', 4)] ?? '',
      product: PRODUCTS[draw('product', 5)] ?? '',
      amount: (draw('amount', 500_000) - 60_000) / 100,
      quantity: 1 + draw('quantity', 20),
      discount: 5 * draw('discount', 6),
    }
  })
}

export const toCsv = (name: string): string =>
  ['order,region,product,amount,quantity,discount']
    .concat(
      makeSales(name).map(
        ({ order, region, product, amount, quantity, discount }) =>
          `${order},${region},${product},"${amount.toLocaleString('en-US', { minimumFractionDigits: 2 })}",${quantity},${discount}%`,
      ),
    )
    .join('\n')

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** Judged by the number: false where another one is given as the result. */
function aboutNumber(kind: string, text: string, truth: number): Question {
  const right = (answer: string): boolean => numbersOf(answer).some((number) => Math.abs(number - truth) <= 0.006)
  return ask(
    kind,
    [text],
    '',
    right,
    (answer) =>
      !/^I (?:could not|found no)/.test(answer) && !right(answer) && /\d/.test(answer.replace(/\([^()]*\)/g, '')),
  )
}

const table: Maker = ({ name }) => {
  const sales = makeSales(name)
  const amounts = (keep: (sale: Sale) => boolean): number[] => sales.filter(keep).map(({ amount }) => amount)
  const region = choose(REGIONS, name) ?? ''
  const product = choose(PRODUCTS, name) ?? ''
  const asked: [string, number][] = [
    [
      `What is the sum of the amount in sales.csv for the region ${region}?`,
      sum(amounts((sale) => sale.region === region)),
    ],
    ['What do the positive amounts in sales.csv add up to?', sum(amounts(({ amount }) => amount > 0))],
    ['How many rows of sales.csv have a negative amount?', amounts(({ amount }) => amount < 0).length],
    ['What is the highest amount in sales.csv?', Math.max(...amounts(() => true))],
    [
      'How many orders in sales.csv have a discount of more than 10%?',
      sales.filter(({ discount }) => discount > 10).length,
    ],
    [
      `What is the average quantity of the ${product} in sales.csv?`,
      average(sales.filter((sale) => sale.product === product)),
    ],
    [
      `In sales.csv, what is the total amount of ${product} orders not in the ${region}?`,
      sum(amounts((sale) => sale.product === product && sale.region !== region)),
    ],
    [
      'How many rows of sales.csv have a quantity between 5 and 10?',
      sales.filter(({ quantity }) => quantity >= 5 && quantity <= 10).length,
    ],
    [
      `Which total amount do orders in sales.csv with at least 10 in quantity and region ${region} have?`,
      sum(amounts((sale) => sale.quantity >= 10 && sale.region === region)),
    ],
  ]
  const [text, truth] = choose(asked, name) ?? ['', 0]
  return aboutNumber('table', text, truth)
}

const average = (sales: readonly Sale[]): number =>
  sum(sales.map(({ quantity }) => quantity)) / Math.max(1, sales.length)

const arithmetic: Maker = ({ name }: Project) => {
  const [a, b] = [1000 + pick(`${name} a`, 90_000), 2 + pick(`${name} b`, 60)]
  const written = a.toLocaleString('en-US')
  const asked: [string, number][] = [
    [`What is ${b}.5% of ${written}?`, ((b + 0.5) * a) / 100],
    [`How much is ${written} plus ${b}%?`, a * (1 + b / 100)],
    [`What is ${written}.50 + 2,345,678.25?`, a + 0.5 + 2_345_678.25],
    [`What percentage of ${written} is ${b}?`, (100 * b) / a],
    [`${written} divided by ${b}`, a / b],
    [`Calculate ${b} * (${written} - 250)`, b * (a - 250)],
    [`A price of $${written} is reduced by ${b}%. What is the new price?`, a * (1 - b / 100)],
    [`How many metres are ${b} km?`, b * 1000],
    [`What is ${b} million divided by 8?`, (b * 1_000_000) / 8],
  ]
  const [text, truth] = choose(asked, name) ?? ['', 0]
  return aboutNumber('arithmetic', text, truth)
}

export const ABOUT_NUMBERS: readonly Maker[] = [table, arithmetic]
