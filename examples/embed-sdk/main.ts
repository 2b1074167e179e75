import { createClient } from '@svc/sdk'

const client = await createClient({ provider: 'offline', cwd: `${import.meta.dirname}/files` })
client.onEvent(({ type, data }) => {
  if (type === 'tool.requested') console.log(`tool: ${data.tool} ${JSON.stringify(data.args)}`)
})
for (const task of ['How many lines does orders.csv have?', 'What is 49.90 + 310 + 120.50?']) {
  const result = await client.run(task)
  console.log(`${task} (${result.status}, ${result.usage.modelCalls} model calls)`)
  console.log(result.summary)
}
await client.disconnect()
