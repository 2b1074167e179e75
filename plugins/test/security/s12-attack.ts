/** Ways to a file that a rule closes, and to files outside of the workspace. */
import { execFileSync } from 'node:child_process'
import { renameSync, symlinkSync } from 'node:fs'
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PolicyRule } from '@svc/core'
import { openInside, resolveInside } from '../../src/tools/files/workspace.ts'
import { type Called, callTools } from '../fixtures/call-tools.ts'
import { createWorkspace } from '../fixtures/tool-context.ts'

export const CANARY = 'API_KEY=canary-4711'
/** What a person writes who wants two places kept away from agents. */
export const DENY: PolicyRule[] = [{ tool: '*', decision: 'deny', paths: ['secrets', '.env'] }]

export const READS: readonly Called[] = [
  { tool: 'read_file', args: { path: 'secrets/key.txt' } },
  { tool: 'read_file', args: { path: './docs/../secrets/key.txt' } },
  { tool: 'read_file', args: { path: 'pub/key.txt' } },
  { tool: 'read_file', args: { path: 'pub/link' } },
  { tool: 'read_file', args: { path: 'notes.txt' } },
  { tool: 'read_file', args: { path: 'deep/a/b/c.txt' } },
  { tool: 'search_files', args: { query: 'canary' } },
  { tool: 'search_files', args: { query: 'canary', path: '.' } },
  { tool: 'search_files', args: { query: 'canary', path: 'pub' } },
  { tool: 'search_files', args: { query: 'canary', pattern: '*.txt' } },
  { tool: 'search_files', args: { query: 'canary', path: 'notes.txt' } },
  { tool: 'edit_file', args: { path: 'notes.txt', edits: [{ find: 'canary', replace: 'x' }] } },
  { tool: 'write_file', args: { path: 'notes.txt', content: 'x', mode: 'append' } },
  { tool: 'git_diff', args: {} },
  { tool: 'git_diff', args: { path: 'pub' } },
  { tool: 'git_diff', args: { revision: 'HEAD~1' } },
  { tool: 'git_diff', args: { staged: true } },
]

/** A repository with a closed folder and file, and links to them under harmless names. */
export async function createSecrets() {
  const made = await createWorkspace({
    'secrets/key.txt': `${CANARY}\n`,
    'secrets/new.txt': `${CANARY}\n`,
    '.env': `${CANARY}\n`,
    'docs/a.md': 'fine\n',
    'deep/a/b/x': '',
  })
  const { workspace } = made
  const git = (...args: string[]) => execFileSync('git', args, { cwd: workspace, stdio: 'pipe' })
  await symlink('secrets', join(workspace, 'pub'))
  await symlink('key.txt', join(workspace, 'secrets/link'))
  await symlink('.env', join(workspace, 'notes.txt'))
  await symlink('../../../secrets/key.txt', join(workspace, 'deep/a/b/c.txt'))
  git('init', '-q')
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', 'commit', '-q', '--allow-empty', '-m', 'Start')
  git('add', '-f', 'docs', 'secrets/key.txt', '.env')
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', 'commit', '-qm', 'Add')
  await writeFile(join(workspace, 'secrets/key.txt'), `${CANARY} changed\n`)
  await writeFile(join(workspace, 'docs/a.md'), 'finer\n')
  git('add', '-f', 'secrets/new.txt')
  return made
}

/** Which reads brought a line of a closed file. */
export async function readClosed(): Promise<string[]> {
  const { workspace } = await createSecrets()
  const config = { policy: { rules: DENY } }
  const { outcomes } = await callTools(workspace, READS, { config, run: { approval: 'allow-write' } })
  return READS.flatMap(({ tool, args }, index) =>
    outcomes[index]?.text.includes('canary-4711') ? [`${tool} ${JSON.stringify(args)}`] : [],
  )
}

/** How often, of so many tries while a name is a folder and a link in turns, a file outside or a closed one was opened. */
export async function race(tries: number): Promise<{ outside: number; closed: number; opened: number }> {
  const { top, workspace } = await createWorkspace({ 'real/key.txt': 'open', 'secrets/key.txt': CANARY })
  await mkdir(join(top, 'outside'))
  await writeFile(join(top, 'outside/key.txt'), 'outside')
  await symlink(join(top, 'outside'), join(top, 'far'))
  await symlink('secrets', join(top, 'near'))
  const found = { outside: 0, closed: 0, opened: 0 }
  const name = join(workspace, 'real')
  const check = ({ path = '' }: { path?: string }): void => {
    if (path.split('/')[0] === 'secrets') throw Object.assign(new Error('closed'), { code: 'policy_denied' })
  }
  for (let index = 0; index < tries; index++) {
    const link = index % 2 === 0 ? 'far' : 'near'
    try {
      const place = await resolveInside({ workspace, check: check as never }, 'real/key.txt')
      // between the two checks, at the worst moment there is
      renameSync(name, join(top, 'aside'))
      renameSync(join(top, link), name)
      const file = await openInside(place)
      const text = await file.readFile('utf8')
      await file.close()
      found.opened++
      if (text === 'outside') found.outside++
      if (text === CANARY) found.closed++
    } catch {
      // refused
    }
    await rename(name, join(top, link)).catch(() => {})
    await rename(join(top, 'aside'), name).catch(() => {})
  }
  return found
}

/** What a tool wrote beside the workspace, or in a closed place, through links. */
export async function writeThroughLinks(): Promise<string[]> {
  const { top, workspace } = await createWorkspace({ 'docs/a.md': '', 'src/a.ts': '' })
  await mkdir(join(top, 'out'))
  symlinkSync('../src', join(workspace, 'docs/link'))
  symlinkSync(join(top, 'out'), join(workspace, 'docs/out'))
  const rules: PolicyRule[] = [{ tool: 'write_file', decision: 'allow', paths: ['docs/*'] }]
  const paths = ['docs/new.md', 'docs/link/new.ts', 'docs/../src/b.ts', 'docs/out/new.ts']
  const calls = paths.map((path) => ({ tool: 'write_file', args: { path, content: 'x' } }))
  const { outcomes } = await callTools(workspace, calls, { config: { policy: { rules } } })
  return paths.filter((_, index) => outcomes[index]?.code === 'ok')
}

export const attack = async () => ({
  read: await readClosed(),
  race: await race(100),
  written: await writeThroughLinks(),
})
