/**
 * Runs an attack against svc without one of its defences: a test of a defence that shows the attack succeed where it is
 * missing cannot pass for another reason. The program itself has no switch for this: while it is bundled, a defence that
 * has a name of its own is given another value.
 */
import { fork } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildChanged } from './build-tests.mjs'
import { root } from './packages.mjs'

const TIMEOUT_MS = 300_000

/**
 * @param file a module of the repository that exports `attack()`, as a path from its root
 * @param defences what is weakened: the module, the name of a function of it, or the field of a constant, and the source of
 *   a function that makes the weaker one of the real one. It sees what else the module has
 * @returns what `attack()` returned, as JSON. Programs that it starts have the defence
 * @throws where a module has no such name, or the attack throws or takes longer than five minutes
 */
export async function attackWithout(file, defences) {
  const left = new Set(defences)
  const folder = await buildChanged([file], (code, path) => {
    const here = defences.filter((defence) => defence.file === path)
    if (here.length === 0) return undefined
    for (const defence of here) left.delete(defence)
    return `${code}\n${here.map(({ name, weaken }) => `${name} = (${weaken})(${name})`).join('\n')}\n`
  })
  try {
    if (left.size > 0) throw new Error(`not in the program: ${[...left].map((defence) => defence.file).join(', ')}`)
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
