/**
 * Runs an attack against svc without one of its defences: a test of a defence that shows the attack succeed where it is
 * missing cannot pass for another reason. The program itself has no switch for this; its text is changed while it is bundled.
 */
import { fork } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildChanged } from './build-tests.mjs'
import { root } from './packages.mjs'

const TIMEOUT_MS = 60_000

/**
 * @param file a module of the repository that exports `attack()`, as a path from its root
 * @param changes which text of which module is replaced; each text has to stand there exactly once
 * @returns what `attack()` returned, as JSON. Programs that it starts through `argumentsFor` lack the defence too
 * @throws where a text is not there once, or the attack throws or takes longer than a minute
 */
export async function attackWithout(file, changes) {
  const left = new Set(changes)
  const folder = await buildChanged([file], (code, path) => {
    const here = changes.filter((change) => change.file === path)
    if (here.length === 0) return undefined
    return here.reduce((text, change) => {
      const parts = text.split(change.find)
      if (parts.length !== 2) throw new Error(`${path} has ${parts.length - 1} times: ${change.find}`)
      left.delete(change)
      return parts.join(change.replace)
    }, code)
  })
  try {
    if (left.size > 0) throw new Error(`not in the program: ${[...left].map((change) => change.file).join(', ')}`)
    return await runAttack(folder, file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function runAttack(folder, file) {
  return new Promise((resolve, reject) => {
    const child = fork(join(root, '.tools', 'run-attack.mjs'), [join(folder, file.replace(/\.ts$/, '.js'))], {
      cwd: root,
      execArgv: ['--conditions=@svc/source'],
      env: { ...process.env, SVC_TEST_BUILD: folder },
      timeout: TIMEOUT_MS,
    })
    child.on('message', ({ value, error }) => (error === undefined ? resolve(value) : reject(new Error(error))))
    child.on('exit', (code, signal) => reject(new Error(`${file} ended without an answer (${signal ?? code})`)))
  })
}
