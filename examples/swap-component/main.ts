import { createClient } from '@svc/sdk'

const here = import.meta.dirname
const task = ['north.md', 'south.md', 'west.md'].map((file) => `- How many lines does ${file} have?`).join('\n')

async function runWith(config: string | false) {
  const client = await createClient({ provider: 'offline', cwd: `${here}/regions`, config, env: {} })
  const result = await client.run(task, { tokenBudget: 60_000 })
  await client.disconnect()
  const { shares = [], reserves = {}, total = 0 } = result.allocation ?? {}
  return {
    status: result.status,
    agents: shares.length,
    handsOut: `${shares.reduce((sum, { tokens }) => sum + tokens, 0) > 0.75 * total ? 'most' : 'a part'} of ${total} tokens`,
    keepsFor: Object.entries<number>(reserves).flatMap(([use, tokens]) =>
      tokens > 0 && use !== 'contingency' ? use : [],
    ),
    answer: result.summary,
  }
}

const base = await runWith(false)
const swapped = await runWith(`${here}/svc.config.ts`)

for (const [name, { status, agents, handsOut, keepsFor }] of Object.entries({ default: base, even: swapped })) {
  console.log(`${name}: ${status}; ${agents} agents get ${handsOut}; kept back for ${keepsFor.join(', ')}`)
}
console.log(`same answer: ${base.answer === swapped.answer}`)
console.log(base.answer)
