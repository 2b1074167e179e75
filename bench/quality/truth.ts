/**
 * ReflectionEngine: right everyday answers that are doubted, and false ones that are caught, by kind. Needs no data of
 * the folder: the answers and the logs of their runs are in the folder truth.
 */
import { ReflectionEngine } from '@svc/core'
import { bootstrap, mean } from './lib/bootstrap.ts'
import type { Row } from './lib/row.ts'
import { CORPORA, type Judged, judgeAll } from './truth/index.ts'

const MOST_DOUBTED = 0.01
const LEAST_CAUGHT = 0.9

export default async function measure(): Promise<Row[]> {
  const engine = new ReflectionEngine()
  const rows: Row[] = []
  for (const side of ['honest', 'false'] as const) {
    const tuned = await judgeAll(engine, CORPORA[side].tuned)
    const heldOut = await judgeAll(engine, CORPORA[side].heldOut)
    const all = [...tuned, ...heldOut]
    rows.push(toRow(side, 'all', all, true), toRow(side, 'tuned on', tuned), toRow(side, 'held out', heldOut))
    for (const kind of new Set(all.map(({ story }) => story.kind)))
      rows.push(
        toRow(
          side,
          kind,
          all.filter(({ story }) => story.kind === kind),
        ),
      )
  }
  return rows
}

function toRow(side: keyof typeof CORPORA, name: string, judged: readonly Judged[], isAim = false): Row {
  const flags: number[] = judged.map(({ caught, doubted }) => ((side === 'honest' ? doubted : caught) ? 1 : 0))
  const aim = side === 'honest' ? MOST_DOUBTED : LEAST_CAUGHT
  return {
    component: 'truth',
    measure: `${side === 'honest' ? 'right answers doubted' : 'false answers caught'}: ${name}`,
    n: flags.length,
    baseline: null,
    value: mean(flags),
    ...(flags.length >= 30 ? bootstrap(flags, mean) : { low: null, high: null }),
    aim: isAim ? aim : null,
    ...(side === 'honest' ? { better: 'less' as const } : {}),
  }
}
