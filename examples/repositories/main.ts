import { fileURLToPath } from 'node:url'
import { createClient } from '@svc/sdk'
import { TASKS } from './tasks.ts'

for (const { repository, task } of TASKS) {
  const cwd = fileURLToPath(new URL(`../../node_modules/${repository}`, import.meta.url))
  const client = await createClient({ provider: 'offline', cwd, config: false })
  const { status, summary } = await client.run(task)
  console.log(`${repository}: ${task} (${status})\n${summary}\n`)
  await client.disconnect()
}
