import type { Tool, ToolContext, ToolGlance } from '@svc/core'
import * as Type from 'typebox'
import { checkArgs } from '../configured/check-args.ts'
import { tellClosed } from '../files/find/walk.ts'
import { resolveInside, touchedPaths } from '../files/workspace.ts'
import type { ProgramRunner } from '../sandbox/program-runner.ts'
import { findClosedNames, runGit } from './git-repository.ts'

const path = Type.Optional(
  Type.String({ minLength: 1, description: 'File or folder, relative to the workspace. Default ".".' }),
)
/** Names, hashes and ranges; never an option or a file within a commit. */
const revision = (description: string) =>
  Type.Optional(Type.String({ pattern: '^[\\w.][\\w.@^~\\/\\-\\{\\}]*$', maxLength: 300, description }))

const closed = { additionalProperties: false }
const STATUS = Type.Object({ path }, closed)
const DIFF = Type.Object(
  {
    path,
    staged: Type.Optional(
      Type.Boolean({ description: 'true: what is staged, instead of what is not. Default false.' }),
    ),
    revision: revision('Commit to compare with, or a range such as "main..HEAD".'),
  },
  closed,
)
const LOG = Type.Object(
  {
    path,
    revision: revision('Commit or branch to begin at, or a range. Default HEAD.'),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Most commits. Default 20.' })),
  },
  closed,
)
/** No program that a repository names, and no repository within the repository. */
const PLAIN = ['--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=all', '--submodule=short']

/** The tools that look at the workspace's git repository; see `runGit` for what they keep from running. */
export function createGitTools(runner: ProgramRunner): Tool[] {
  /** @param names the same question for names alone, where files that rules close have to be left out first */
  const git = async (
    args: readonly string[],
    asked: string | undefined,
    context: ToolContext,
    nothing: string,
    names?: readonly string[],
  ) => {
    const { relative } = await resolveInside(context, asked ?? '.')
    const paths = ['--', `:(literal)${relative}`]
    const closed = names === undefined ? [] : await findClosedNames(runner, [...names, ...paths], context)
    const left = closed.map((path) => `:(top,literal,exclude)${path}`)
    const shown = (await runGit(runner, [...args, ...paths, ...left], context)) || nothing
    return closed.length === 0 ? shown : `${shown}\n${tellClosed(closed.length)}`
  }
  const facts = {
    risk: 'read' as const,
    idempotent: true,
    timeoutMs: 45_000,
    maxOutputBytes: 65_536,
    touches: (args: unknown, context: ToolGlance) => touchedPaths(context, (args as { path?: string }).path ?? '.'),
    confinement: async () => ({ ...(await runner.confinement(false)), network: false }),
  }
  return [
    {
      ...facts,
      id: 'git_status',
      description:
        'Shows the branch of the git repository and the changed and new files, as "git status --short" does.',
      parameters: { ...STATUS },
      async run(args, context) {
        const given = checkArgs('git_status', STATUS, args)
        const words = ['status', '--porcelain', '--branch', '--untracked-files=all', '--ignore-submodules=all']
        return git(words, given.path, context, 'nothing has changed', [...words, '--no-renames', '-z'])
      },
    },
    {
      ...facts,
      id: 'git_diff',
      description: 'Shows changes in the git repository as a unified diff: not yet staged, staged, or since a commit.',
      parameters: { ...DIFF },
      async run(args, context) {
        const given = checkArgs('git_diff', DIFF, args)
        const cached = given.staged === true ? ['--cached'] : []
        const words = [...PLAIN, ...cached, ...(given.revision ? [given.revision] : [])]
        const names = ['diff', '--name-only', '--no-renames', '-z', ...words]
        return git(['diff', ...words], given.path, context, 'no difference', names)
      },
    },
    {
      ...facts,
      id: 'git_log',
      description: 'Lists commits of the git repository, newest first: hash, date, author and subject.',
      parameters: { ...LOG },
      async run(args, context) {
        const { limit = 20, ...given } = checkArgs('git_log', LOG, args)
        const words = [
          'log',
          '--no-color',
          '--no-show-signature',
          '--no-decorate',
          '--format=%h %ad %an: %s',
          '--date=short',
        ]
        return git([...words, `--max-count=${limit}`, given.revision ?? 'HEAD'], given.path, context, 'no commit')
      },
    },
  ]
}
