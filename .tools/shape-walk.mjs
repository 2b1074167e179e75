/**
 * Prints, as JSON, the frames between `client.run` and a provider's `generate` for a single-agent task.
 *
 * Usage: node --conditions=@svc/source --import tsx .tools/shape-walk.mjs <repository>
 *
 * A stack ends where a promise chain does not go through `await`. So each asynchronous resource remembers where it was
 * made, and the frames are put together backwards from the provider, from resource to resource. A function that stands
 * on both sides of such a seam counts once.
 */
import { createHook, executionAsyncId } from 'node:async_hooks'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const [root] = process.argv.slice(2)
const made = new Map()
let isRecording = false
let walk

Error.stackTraceLimit = Infinity

/** The synchronous frames of our own files, innermost first. */
function frames() {
  const { prepareStackTrace } = Error
  Error.prepareStackTrace = (_, sites) => sites
  const sites = new Error().stack
  Error.prepareStackTrace = prepareStackTrace
  return sites
    .filter((site) => !site.isAsync())
    .map((site) => ({ file: toPath(site.getFileName() ?? ''), name: site.getFunctionName() ?? 'anonymous' }))
    .filter(({ file }) => file !== undefined)
}

function toPath(file) {
  const path = relative(root, file.startsWith('file:') ? fileURLToPath(file) : file)
  return /^(?:core|plugins|sdk|cli)\/src\//.test(path) ? path : undefined
}

createHook({
  init(id) {
    if (isRecording) made.set(id, { frames: frames(), parent: executionAsyncId() })
  },
}).enable()

function collect() {
  const found = frames()
  for (let at = made.get(executionAsyncId()); at !== undefined; at = made.get(at.parent)) {
    const last = found.at(-1)
    const seam = at.frames.findIndex(({ file, name }) => file === last?.file && name === last?.name)
    found.push(...at.frames.slice(seam + 1))
  }
  const start = found.findIndex(({ file, name }) => file.startsWith('sdk/') && /(?:^|\.)run$/.test(name))
  return { reachesRun: start !== -1, frames: start === -1 ? found : found.slice(0, start + 1) }
}

const provider = {
  id: 'probe',
  models: async () => [{ id: 'probe', context: 32_000, maxOutput: 4_000 }],
  async *generate() {
    walk ??= collect()
    yield { type: 'text', text: 'Oslo.' }
    const usage = { inputTokens: 10, outputTokens: 2, estimated: false }
    yield { type: 'finish', finishReason: 'stop', usage }
  },
}
const { ServiceClient } = await import(pathToFileURL(join(root, 'sdk/src/index.ts')))
const client = new ServiceClient({
  config: false,
  provider: 'probe',
  model: 'probe',
  plugins: [{ name: 'probe', apply: ({ providers }) => providers.add('probe', provider) }],
  persistSessions: false,
})
await client.connect()
isRecording = true
const { status } = await client.run('Name the capital of Norway.')
isRecording = false
await client.disconnect()
console.log(JSON.stringify({ status, ...walk }))
