/** Prints what the calls of cases really return: node --conditions=@svc/source --import tsx bench/truth/play.mjs FILE [id] */
import { readFileSync } from 'node:fs'
import { playCase } from './play-case.ts'
import { findFaults } from './truth-case.ts'

const [file, id] = process.argv.slice(2)
const cases = JSON.parse(readFileSync(file, 'utf8'))
for (const fault of findFaults(cases)) console.log(`FAULT ${fault}`)
for (const one of cases) {
  if (id !== undefined && one.id !== id) continue
  console.log(
    `\n=== ${one.id} (${one.language}, ${one.true ? 'true' : `FALSE: ${[one.wrong].flat().join(' | ')}`})\ntask: ${one.task}`,
  )
  const events = await playCase(one)
  for (const { type, data } of events) {
    if (type === 'tool.requested') console.log(`--- ${data.tool} ${JSON.stringify(data.args)}`)
    if (/^tool\.(completed|failed|denied)$/.test(type) || type === 'tool.result')
      console.log(JSON.stringify(data).slice(0, 6000))
  }
  console.log(`answer: ${one.answer}`)
}
