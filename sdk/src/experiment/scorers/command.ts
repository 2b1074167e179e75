import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type LoadedConfig, SvcError, type ToolContext } from '@svc/core'
import { ProgramRunner } from '@svc/plugins'
import type { ScorerOptions } from '../design/experiment-schema.ts'
import { answerOf, clip, type Scorable, type Scorer } from './scorer.ts'

const TIMEOUT_MS = 60_000
const MOST_BYTES = 8_192

/**
 * 1 where a test command ends with exit code 0. It runs in the sandbox that tools run in, in a copy of what the run left in
 * its workspace, else in an empty folder, with the answer in `answer.txt` and the expected one as JSON in `expected.json`.
 *
 * @param folder of the experiment: arguments that begin with `./` are paths from there, and it may be read
 */
export function command(
  { run, timeoutMs = TIMEOUT_MS }: ScorerOptions['command'],
  folder: string,
  { config }: Pick<LoadedConfig, 'config'>,
): Scorer {
  const { sandbox, sandboxImage, network, memoryMb } = config.policy ?? {}
  const runner = new ProgramRunner({ sandbox, sandboxImage, network, memoryMb, guarded: { folders: [], programs: [] } })
  const argvOf = (test: readonly string[] | undefined): string[] =>
    (test ?? run ?? []).map((word) => (word.startsWith('./') ? resolve(folder, word) : word))
  const prepare = ({ workspace, expected, result }: Scorable): string => {
    const scratch = mkdtempSync(join(tmpdir(), 'svc-test-'))
    if (workspace !== undefined) cpSync(workspace, scratch, { recursive: true, verbatimSymlinks: true })
    writeFileSync(join(scratch, 'answer.txt'), answerOf({ result }))
    writeFileSync(join(scratch, 'expected.json'), JSON.stringify(expected ?? null))
    return scratch
  }
  return {
    about: `command ${run?.join(' ') ?? 'of each task'}`,
    isCostly: true,
    check: ({ test }) =>
      argvOf(test).length === 0 ? 'needs `test`: a command, such as ["node", "./check.mjs"]' : undefined,
    async score(answered) {
      const argv = argvOf(answered.input.test)
      const scratch = prepare(answered)
      try {
        const { exitCode, killedBy, out, err } = await runner.run(argv, contextOf(scratch, answered.signal), {
          timeoutMs,
          network: runner.reachesNetwork(argv),
          writes: true,
          headBytes: MOST_BYTES,
          tailBytes: MOST_BYTES,
          needsNone: true,
          readable: [folder],
        })
        const said = `${out.head}${out.tail}\n${err.head}${err.tail}`.trim()
        const end = exitCode === undefined ? `ended by ${killedBy}` : `exit code ${exitCode}`
        return { score: exitCode === 0 ? 1 : 0, evidence: clip(`${end}${said === '' ? '' : `: ${said}`}`) }
      } catch (thrown) {
        // A program that does not end in time has not passed; one that cannot be started is no test.
        if (SvcError.isInstance(thrown) && thrown.code === 'tool_timeout')
          return { score: 0, evidence: clip(thrown.message) }
        throw thrown
      } finally {
        rmSync(scratch, { recursive: true, force: true })
      }
    },
  }
}

const contextOf = (workspace: string, signal: AbortSignal): ToolContext => ({
  signal,
  workspace,
  idempotencyKey: 'test',
  agentId: 'test',
  isApproved: true,
  fetch,
  log() {},
  output() {},
  ask: () => Promise.reject(new SvcError('approval_denied', 'a test asks nobody')),
})
