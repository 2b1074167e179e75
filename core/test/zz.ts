import { readFileSync } from 'node:fs'
import { ReflectionEngine } from '@svc/core'
import { verdictOf } from '../src/contracts/index.ts'
import { eventsOf, read } from './fixtures/story.ts'
const engine = new ReflectionEngine()
const { cases } = await import('/tmp/v/cases.mjs' as string)
for (const [i, [task, paths, answer, want]] of cases.entries()) {
  const log = paths.map((p: string) => read(p, readFileSync(`/tmp/v/ws/q/${p}`, 'utf8').trimEnd()))
  const r = await engine.evaluate({ task: { id: 't', description: task }, output: answer, events: eventsOf({ log, answer }), attempt: 1, sources: ['CASE' + i] })
  const v = verdictOf(r)
  if ((v === 'fail') !== (want === 'F')) console.log('!!', i, v, answer, JSON.stringify(r.claims?.filter((c) => c.verdict === 'contradicted')))
}
