import { createClient } from '@svc/sdk'

const here = import.meta.dirname
const task = 'Where is CSV mentioned?'

for (const config of [false, `${here}/svc.config.ts`] as const) {
  const client = await createClient({ cwd: here, config, env: {} })
  const { taps } = await client.describe()
  const names = (stage: string) => taps.flatMap(({ hook, plugin }) => (hook === stage ? plugin : [])).join(', ')
  const { complexity, plan, reflection, verdict } = await client.run(task)
  console.log(config === false ? 'Defaults' : 'With svc.config.ts')
  console.log(`  analyze (${names('analyze')}): ${complexity?.recommendedTopology}`)
  console.log(`  plan: ${plan?.topology} with ${plan?.agents.length} agents`)
  console.log(`  reflect (${names('reflect')}): ${verdict}`)
  console.log(
    `    by ${reflection?.checks.flatMap(({ id, result }) => (result === 'na' ? [] : id)).join(', ') || 'no check'}`,
  )
  await client.disconnect()
}
