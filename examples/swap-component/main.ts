import { createClient } from '@svc/sdk'

const here = import.meta.dirname
const task = 'Compare the sales of north.md, south.md and west.md'

async function runWith(config: string | false) {
  const client = await createClient({ provider: 'offline', cwd: `${here}/regions`, config, env: {} })
  const result = await client.run(task, { tokenBudget: 30_000 })
  await client.disconnect()
  return result
}

const base = await runWith(false)
const swapped = await runWith(`${here}/svc.config.ts`)

console.log(`${'tokens for'.padEnd(16)}default    even`)
const row = (name: string, ...tokens: (number | undefined)[]) =>
  console.log(`${name.padEnd(16)}${tokens.map((count = 0) => String(count).padStart(7)).join(' ')}`)
for (const { agentId } of base.allocation?.shares ?? []) {
  const shareIn = ({ allocation }: typeof base) => allocation?.shares.find((share) => share.agentId === agentId)?.tokens
  row(agentId, shareIn(base), shareIn(swapped))
}
for (const use of ['coordination', 'synthesis', 'reflection', 'final', 'contingency'] as const) {
  row(use, base.allocation?.reserves[use], swapped.allocation?.reserves[use])
}
row('all', base.allocation?.total, swapped.allocation?.total)
console.log(`status: ${base.status}, ${swapped.status}`)
console.log(`same answer: ${base.summary === swapped.summary}`)
console.log(base.summary)
