/** S30: a program's memory is bounded, also that which no process holds, or it is refused. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type CommandResult, createShell } from '../../src/tools/programs/run-command.ts'
import { createControlGroup } from '../../src/tools/sandbox/control-group.ts'
import { ProgramRunner } from '../../src/tools/sandbox/program-runner.ts'
import { pathOf } from '../../src/tools/sandbox/wrap.ts'
import { createContext, createWorkspace, failureOf } from '../fixtures/tool-context.ts'
import { kindsHere } from './s30-attack.ts'

const test = suite('S30 memory')

const MEMFD = process.arch === 'arm64' ? 279 : 319
const FILL = 'for (1..300) { print F "x" x 1e6 or exit 9 }; print "got it\\n"'
/** Each takes 300 MB, or 200 where a bound of its own comes first, and prints `got it`. */
const TAKES: Readonly<Record<string, string>> = {
  'a file without a name': `$n = "a"; $d = syscall(${MEMFD}, $n, 0); exit 9 if $d < 0; open F, ">&=", $d or exit 9; ${FILL}`,
  'many files without names': `for (1..30) { $n = "a"; $d = syscall(${MEMFD}, $n, 0); exit 9 if $d < 0; open $f[$_], ">&=", $d or exit 9; print { $f[$_] } "x" x 1e7 }; print "got it\\n"`,
  'shared memory': `$s = shmget(0, 3e8, 0600); exit 9 unless defined $s; for (0..29) { shmwrite($s, "x" x 1e7, $_ * 1e7, 1e7) or exit 9 }; print "got it\\n"`,
}
const FILES = 'head -c 200000000 /dev/zero > /tmp/a && head -c 60000000 /dev/zero > /dev/shm/a && echo got it'

const group = createControlGroup(8, 2 ** 27)
await group?.remove()
for (const kind of await kindsHere()) {
  const shell = createShell(new ProgramRunner({ sandbox: kind, memoryMb: 128, guarded: { folders: [], programs: [] } }))
  const run = async (script: string) => {
    const { workspace } = await createWorkspace({})
    return (await shell.run({ script, timeoutMs: 60_000 }, createContext(workspace))) as CommandResult
  }

  // where neither control groups nor a filter are, SECURITY.md says so
  if (pathOf('perl') !== undefined && (group?.holdsMemory === true || kind === 'bwrap'))
    for (const [name, take] of Object.entries(TAKES))
      test(`${kind}: ${name} is not taken beyond the bound`, async () => {
        const { workspace } = await createWorkspace({ 'take.pl': take })
        const taken = await shell.run({ script: 'perl take.pl', timeoutMs: 60_000 }, createContext(workspace)).then(
          (result) => (result as CommandResult).stdout,
          (error: Error) => error.message,
        )
        assert.not.match(taken, 'got it')
      })

  if (group?.holdsMemory === true)
    test(`${kind}: files in memory count, and what was too much is said`, async () => {
      assert.match((await failureOf(run(FILES))).message, 'more than 128 MB of memory, which policy.memoryMb sets')
    })

  test(`${kind}: files of the workspace do not count, nor what was given back`, async () => {
    const large = 'head -c 200000000 /dev/zero > a && cat a | wc -c'
    const again = 'for i in 1 2 3 4; do head -c 50000000 /dev/zero > /tmp/b; rm /tmp/b; done; echo fine'
    assert.is((await run(`${large}; ${again}`)).stdout, '200000000\nfine\n')
  })
}

test.run()
