import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ToolContext, ToolGlance } from '@svc/core'
import { runGit } from '../git/git-repository.ts'
import type { ProgramRunner } from '../sandbox/program-runner.ts'

/**
 * Why a person has to be asked before a program runs: it would see what rules close, in files that cannot be hidden from it or
 * in the history of the workspace's repository.
 *
 * @param how see `ProgramRunner.whyAsk`
 */
export async function whyAskAboutProgram(
  runner: ProgramRunner,
  context: ToolGlance,
  how?: Parameters<ProgramRunner['whyAsk']>[1],
): Promise<string | undefined> {
  const why = await runner.whyAsk(context, how)
  if (why !== undefined || context.closedPaths === undefined || context.closedPaths.globs.length === 0) return why
  const git = await lstat(join(context.workspace, '.git')).catch(() => undefined)
  if (git?.isDirectory() !== true) return undefined
  return (await holdsClosed(runner, context, context.closedPaths.globs))
    ? 'the history of the repository holds files that a rule closes, and the program could read it'
    : undefined
}

/** Whether files that rules close are in a commit, or staged; also where git cannot say. */
async function holdsClosed(runner: ProgramRunner, glance: ToolGlance, globs: readonly string[]): Promise<boolean> {
  const context: ToolContext = { ...glance, closedPaths: { globs: [], has: () => false }, ...SILENT }
  const paths = ['--', ...globs.flatMap((glob) => toPathspecs(glob, glance.workspace))]
  const [committed, staged] = await Promise.all(
    [
      ['log', '--all', '--max-count=1', '--format=%h', ...paths],
      ['ls-files', ...paths],
    ].map((words) => runGit(runner, words, context, 1_000).catch(() => 'unknown')),
  )
  return `${committed}${staged}` !== ''
}

const SILENT = {
  idempotencyKey: '',
  agentId: '',
  fetch: () => Promise.reject(new Error('git reaches nothing')),
  log: () => {},
  output: () => {},
  ask: async () => ({ kind: 'expired' as const }),
}

/** A glob of a rule as git has it: `*` stands for `/` too, and a folder for what is in it. */
function toPathspecs(glob: string, workspace: string): string[] {
  const inner = glob.startsWith(`${workspace}/`) ? glob.slice(workspace.length + 1) : glob
  if (/^[/~]/.test(inner)) return []
  const plain = inner.replace(/[?[\]\\]/g, '\\$&').replace(/^(?:\.\/)+/, '')
  return [...new Set([plain, plain.replaceAll('**/', '')])].map((one) => `:(top)${one}`)
}
