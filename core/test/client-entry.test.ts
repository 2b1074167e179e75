/** `@svc/core/client` in a browser: what it is bundled from needs neither Node nor TypeBox. */
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const test = suite('the client entry')

const client = fileURLToPath(new URL('../src/client.ts', import.meta.url))

/** A page that folds the log of a run, as one module. */
async function bundle(): Promise<{ code: string; imports: string[]; modules: string[] }> {
  const page = `export { promptOf, RunView, isEphemeral, isTerminalEvent, SvcError } from ${JSON.stringify(client)}`
  const built = await rolldown({
    input: 'page',
    platform: 'browser',
    plugins: [
      { name: 'page', resolveId: (id) => (id === 'page' ? id : null), load: (id) => (id === 'page' ? page : null) },
    ],
    logLevel: 'silent',
  })
  try {
    const { output } = await built.generate({ format: 'esm', minify: true })
    const chunks = output.filter((part) => part.type === 'chunk')
    return {
      code: output[0].code,
      imports: chunks.flatMap((chunk) => chunk.imports),
      modules: chunks.flatMap((chunk) => Object.keys(chunk.modules)),
    }
  } finally {
    await built.close()
  }
}

test('a page that folds a log takes in no module of Node, no TypeBox and few bytes', async () => {
  const { code, imports, modules } = await bundle()
  assert.equal(imports, [])
  assert.equal(
    modules.filter((id) => id.includes('node_modules') || id.includes('node:')),
    [],
  )
  const bytes = gzipSync(code).length
  assert.ok(bytes < 8_000, `${bytes} bytes`)
})

test.run()
