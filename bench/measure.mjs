/** What the benches share: numbers of the command line, medians, processes timed from outside, rows of the table. */
import { execFile, spawn } from 'node:child_process'
import { parseArgs, promisify } from 'node:util'

/** The middle of some numbers. */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** The first and the third quartile of some numbers. */
export function quartiles(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b)
  return [sorted[Math.floor((sorted.length - 1) / 4)], sorted[Math.ceil(((sorted.length - 1) * 3) / 4)]]
}

/** The median of some numbers with their quartiles, as text. */
export function withQuartiles(numbers) {
  const [low, high] = quartiles(numbers)
  return `${median(numbers).toFixed(2)} (${low.toFixed(2)}-${high.toFixed(2)})`
}

/** What the command line says in numbers, such as `--rounds 4`; what it leaves out is as it is given here. */
export function numbersOf(defaults) {
  const options = Object.entries(defaults).map(([name, value]) => [name, { type: 'string', default: String(value) }])
  const { values } = parseArgs({ options: Object.fromEntries(options) })
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]))
}

/** Microseconds of processor time, user and system, that some work takes in this process. */
export async function cpuOf(work) {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** Milliseconds from starting a node process to its end. @throws when it fails */
export function wallOf(args, options = {}) {
  return new Promise((resolve, reject) => {
    const started = performance.now()
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options })
    child.once('error', reject)
    child.once('exit', (code) =>
      code === 0
        ? resolve(performance.now() - started)
        : reject(new Error(`node ${args.join(' ')} ended with ${code}`)),
    )
  })
}

/** Milliseconds of user processor time from starting a node process to its end, by the shell's own count. @throws when it fails */
export async function userOf(args) {
  const timed = ['-c', 'TIMEFORMAT=%U; time "$@"', 'time', process.execPath, ...args]
  const { stderr } = await promisify(execFile)('bash', timed, { env: { ...process.env, LC_ALL: 'C' } })
  return Number(stderr.trim().split('\n').at(-1)) * 1_000
}

/** What a node process prints. @throws when it fails */
export function outputOf(args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], ...options })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`node ${args.join(' ')} ended with ${code}`)),
    )
  })
}

/**
 * A row of the table.
 *
 * @param {{ name: string, value: number, unit: string, peer?: number, ratio?: number, spread?: number[], aim?: number, of?: 'value' | 'ratio' }} row
 *   `peer` is what the value is held against; `ratio` is theirs unless it was taken in pairs, `spread` its quartiles; `of` says whether the aim bounds the value (default) or the ratio
 */
export function toRow({ name, value, unit, peer, ratio: given, spread, aim, of = 'value' }) {
  const ratio = given ?? (peer === undefined ? undefined : value / peer)
  const met = aim === undefined ? undefined : (of === 'ratio' ? ratio : value) <= aim
  return { name, value, unit, peer, ratio, spread, aim, of, met }
}
