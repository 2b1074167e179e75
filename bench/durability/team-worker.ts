/** A process that works on the runs of a store with a scripted model, until it is ended. Says `ready` when it has begun. */
import { createRuntime } from '@svc/plugins'
import { CONFIG, scriptedModel } from './tasks.mjs'

const [url = ''] = process.argv.slice(2)
await createRuntime(
  { ...CONFIG, store: { url }, server: { limits: { runningRuns: 8 } } },
  { plugins: [scriptedModel()], env: {} },
)
process.stdout.write('ready\n')
process.on('disconnect', () => process.exit())
