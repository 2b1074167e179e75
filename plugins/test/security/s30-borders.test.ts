/** S30: what a program may do to the system, each user that svc may run as. */
import { closeSync, constants, openSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { attackWithout } from '../../../.tools/weakened.mjs'
import { type CommandResult, createShell } from '../../src/tools/programs/run-command.ts'
import { ProgramRunner } from '../../src/tools/sandbox/program-runner.ts'
import { createContext, createWorkspace } from '../fixtures/tool-context.ts'
import { kindsHere } from './s30-attack.ts'
import { type attack, leaveSetId, RIGHTS, walkSystem } from './s30-borders-attack.ts'

const test = suite('S30 borders')

const kinds = await kindsHere()
for (const kind of kinds) {
  const shell = createShell(new ProgramRunner({ sandbox: kind, guarded: { folders: [], programs: [] } }))
  const run = async (workspace: string, script: string) =>
    (await shell.run({ script, timeoutMs: 60_000 }, createContext(workspace))) as CommandResult

  for (const network of kind === kinds[0] ? [false, true] : [true])
    test(`${kind}: a walk over the whole system finds nothing to write to${network ? ', with network' : ''}`, async () => {
      // Without a filter of system calls nothing runs with network while a server of svc is on this machine, as beside other tests.
      const found = walkSystem(kind, network).catch((thrown) => {
        if (kind !== 'bwrap' && /would reach svc itself/.test(String(thrown))) return []
        throw thrown
      })
      assert.equal(await found, [])
    })

  test(`${kind}: a program is not root, and gets no rights, mounts, namespaces or descriptors`, async () => {
    const { top, workspace } = await createWorkspace({})
    const leaked = openSync(join(top, 'leaked'), constants.O_CREAT | constants.O_WRONLY)
    const parts = Object.entries(RIGHTS).map(
      ([name, part]) => `if (${part}) 2>&1 | grep -q escaped; then echo "${name}"; fi`,
    )
    const { stdout } = await run(workspace, parts.join('\n'))
    closeSync(leaked)
    assert.is(stdout, '')
  })

  test(`${kind}: no file of a program gives the person's rights away, and the person's own stay as they are`, async () => {
    assert.equal(await leaveSetId(kind), ['./own/mine'])
  })

  test(`${kind}: modes, pipes, threads, shared memory, terminals and copies work as usual`, async () => {
    const { workspace } = await createWorkspace({ 'run.sh': '#!/bin/sh\necho ran\n' })
    const script = `chmod +x run.sh && ./run.sh && cp -p run.sh copy.sh && ./copy.sh
      mkdir -m 755 sub && chmod 1777 sub && tar -cf a.tar run.sh && tar -xf a.tar -C sub && sub/run.sh
      node -e 'const { Worker } = require("worker_threads"); new Worker("console.log(\\"thread\\")", { eval: true })'
      node -e 'require("child_process").fork("child.js").on("message", (said) => console.log(said))'
      echo x > /dev/shm/a && cat /dev/shm/a && echo y > /dev/null && head -c 3 /dev/zero | wc -c`
    await run(workspace, `echo 'process.send("child")' > child.js`)
    const { stdout, stderr } = await run(workspace, script)
    assert.is(stdout, 'ran\nran\nran\nthread\nchild\nx\n3\n', stderr)
    assert.is((await stat(join(workspace, 'copy.sh'))).uid, process.getuid?.())
    assert.is(await readFile(join(workspace, 'child.js'), 'utf8'), 'process.send("child")\n')
  })
}

test('without the filter of system calls and the look at files after it, files with such bits stay', async () => {
  if (kinds.length === 0) return
  const open = (await attackWithout('plugins/test/security/s30-borders-attack.ts', [
    { file: 'plugins/src/tools/sandbox/system-calls.ts', name: 'hasFilters', weaken: '() => () => false' },
    { file: 'plugins/src/tools/sandbox/workspace/set-id.ts', name: 'dropSetId', weaken: '() => () => {}' },
  ])) as Awaited<ReturnType<typeof attack>>
  for (const name of ['./chmod', './fchmod', './open', './older-moved']) assert.ok(open.includes(name), open.join())
})

test.run()
