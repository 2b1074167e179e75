/**
 * Measures how long `import('@svc/core')` takes, and that of the SDK beside it, each in fresh processes, as the import
 * itself sees it: the start of node is not in it. Aims: 45 ms for the core, 60 ms for the SDK.
 */
import { fileURLToPath } from 'node:url'
import { median, outputOf, toRow } from './measure.mjs'

const ROUNDS = 15
const ROOT = fileURLToPath(new URL('..', import.meta.url))

export async function measure() {
  const times = { '@svc/core': [], '@svc/sdk': [] }
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, list] of Object.entries(times)) list.push(await importTime(name))
  }
  return [
    toRow({ name: "import('@svc/core')", value: median(times['@svc/core']), unit: 'ms', aim: 45 }),
    toRow({ name: "import('@svc/sdk')", value: median(times['@svc/sdk']), unit: 'ms', aim: 60 }),
  ]
}

const importTime = async (name) =>
  Number(
    await outputOf(
      ['-e', `const t = performance.now(); import('${name}').then(() => console.log(performance.now() - t))`],
      { cwd: ROOT },
    ),
  )
