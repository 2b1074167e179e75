/** Compares ways to make the same runs: all in turn in one process, so that what else the machine does meets all of them. */
import { median, quartiles } from '../measure.mjs'
import { repeat } from './tasks.mjs'

const WARM_UP = 5

/**
 * Prints for one run at a time and for eight at once what a run takes on each side, and how the first compares.
 *
 * @param {object} settings
 * @param {Record<string, { name: string, run(): Promise<unknown>, count?: number }>} settings.sides `count` of runs is set
 * @param {string} settings.base the side that is compared with the others
 * @param {Record<string, number>} settings.aims most by which it may exceed another side
 * @param {Record<string, () => number>} [settings.meters] what else is read before and after each round
 */
export async function compareSides({ sides, steps, rounds, runs, base, aims, meters = {} }) {
  const all = { ...meters, 'CPU ms': processorMs, 'time ms': () => performance.now() }
  for (const atOnce of [1, 8]) {
    const figures = await measure({ sides, atOnce, rounds, runs, meters: all })
    console.log(`\na run of ${steps} steps, ${atOnce} at once; median of ${rounds} rounds of ${runs} runs (quartiles)`)
    for (const [key, of] of Object.entries(figures)) {
      const said = Object.entries(of).map(([meter, list]) => `${meter} ${withQuartiles(list)}`)
      console.log(`${sides[key].name.padEnd(42)} ${said.join('  ')}`)
    }
    for (const other of Object.keys(sides).filter((key) => key !== base)) {
      for (const meter of ['CPU ms', 'time ms']) {
        const ratios = figures[base][meter].map((value, round) => value / figures[other][meter][round])
        const most = aims[other]
        const aim = most === undefined ? '' : `  aim <= ${most}: ${median(ratios) <= most ? 'met' : 'MISSED'}`
        console.log(`${base} / ${other}, ${meter.replace(' ms', '')}: ${withQuartiles(ratios)}${aim}`)
      }
    }
  }
}

/** Each side in turn, in another order each round. */
async function measure({ sides, atOnce, rounds, runs, meters }) {
  const keys = Object.keys(sides)
  const figures = Object.fromEntries(
    keys.map((key) => [key, Object.fromEntries(Object.keys(meters).map((meter) => [meter, []]))]),
  )
  for (let round = -WARM_UP; round < rounds; round++) {
    const turn = ((round % keys.length) + keys.length) % keys.length
    for (const key of [...keys.slice(turn), ...keys.slice(0, turn)]) {
      const side = sides[key]
      globalThis.gc?.()
      const before = Object.values(meters).map((read) => read())
      await repeat(runs, atOnce, side.run)
      // The last is read first, so that what reading takes counts for nobody.
      const after = Object.values(meters)
        .reverse()
        .map((read) => read())
        .reverse()
      side.count = (side.count ?? 0) + runs
      if (round < 0) continue
      for (const [index, meter] of Object.keys(meters).entries()) {
        figures[key][meter].push((after[index] - before[index]) / runs)
      }
    }
  }
  return figures
}

function processorMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

const withQuartiles = (list) =>
  `${median(list).toFixed(2)} (${quartiles(list)
    .map((value) => value.toFixed(2))
    .join('-')})`
