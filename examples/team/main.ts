import { createClient } from '@svc/sdk'

const task = `- How many lines does sales.csv have?
- What does src/report.js import?
- Which functions does src/till.js define?`

const client = await createClient({ provider: 'offline', cwd: `${import.meta.dirname}/shop`, env: {} })
const result = await client.run(task, {
  topology: 'PARALLEL',
  agents: [
    {
      name: 'Bookkeeper',
      role: 'worker',
      capabilities: ['lines', 'csv', 'takings'],
      tools: ['list_files', 'read_file'],
    },
    { name: 'Clerk', role: 'worker', capabilities: ['imports', 'report', 'packages'] },
    { name: 'Programmer', role: 'worker', capabilities: ['functions', 'define', 'code'] },
  ],
})

console.log(`${result.status}, ${result.plan?.topology}`)
for (const { id, agentId, objective, dependsOn } of result.plan?.steps ?? []) {
  const name = result.plan?.agents.find((agent) => agent.agentId === agentId)?.name
  console.log(
    `${id} ${name}${dependsOn.length > 0 ? ` after ${dependsOn.join(', ')}` : ''}: ${objective.split('\n')[0]}`,
  )
}
console.log(result.summary)
await client.disconnect()
