import { createClient } from '@svc/sdk'
import { countingStore, counts } from './counting-store.ts'
import { lineFormat } from './line-format.ts'
import { notebook } from './notebook.ts'
import { pulse } from './pulse.ts'

/** What the model of this example answers: it remembers a fact, looks it up, and reports it. */
const ANSWERS = [
  '> remember {"content":"The release train leaves on Thursdays."}',
  '> recall {"query":"When does the release train leave?"}',
  'The release train leaves on Thursdays.',
]

const client = await createClient({
  env: {},
  cwd: import.meta.dirname,
  config: {
    store: { url: 'counting:' },
    providers: { robot: { type: 'lines', baseUrl: 'http://127.0.0.1:9/answer' } },
    policy: { rules: [{ tool: 'remember', decision: 'allow' }] },
  },
  plugins: [countingStore(), lineFormat()],
  components: { memory: notebook(), inspect: pulse() },
  provider: 'robot',
  fetch: async () => new Response(ANSWERS.shift()),
})

await client.writeMemory({ content: 'The office is closed on Fridays.' })
const result = await client.run('Remember that the release train leaves on Thursdays.', { topology: 'SINGLE' })
console.log(`wire format: ${result.summary}`)
const { data } = await client.memory.list()
console.log(`memory: ${data.map(({ content }) => content).join(' ')}`)
console.log(`recalled: ${(await client.queryMemory('When is the office closed?')).data[0]?.content}`)
const { grade, signals } = await client.inspect()
console.log(`inspection: ${grade}, ${signals.worked} tool calls worked`)
console.log(`run's inspection: ${JSON.stringify(result.inspection?.signals)}`)
console.log(`store: ${counts.created} run, ${counts.commits > 0 ? 'every change committed' : 'nothing committed'}`)
await client.disconnect()
