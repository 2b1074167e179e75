/** Ways to have the person's next git command run code, through what a program or a tool writes unasked. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createShell } from '../../src/tools/programs/run-command.ts'
import { ProgramRunner } from '../../src/tools/sandbox/program-runner.ts'
import { callTools } from '../fixtures/call-tools.ts'
import { createContext, createWorkspace } from '../fixtures/tool-context.ts'
import { kindsHere } from './s30-attack.ts'

type Folders = { top: string; workspace: string }

const AUTHOR = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'init.defaultBranch=main']

/** Runs git as a person would. */
export const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', [...AUTHOR, ...args], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

interface Way {
  /** What the person made before. */
  readonly before?: (folders: Folders) => void
  /** What the program does; `$MARK` is the file that code makes outside of the sandbox. */
  readonly script: string
  /** The person's next command, in a folder of the workspace. */
  readonly next: readonly [folder: string, ...args: string[]]
}

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text, { mode: 0o755 })
}

const repository = ({ workspace }: Folders): void => {
  write(join(workspace, 'a.txt'), 'a\n')
  git(workspace, 'init', '-q')
  git(workspace, 'add', '.')
  for (const message of ['One', 'Two', 'Three']) git(workspace, 'commit', '-q', '--allow-empty', '-m', message)
}

const configured =
  (key: string, value: string, files: Readonly<Record<string, string>> = {}) =>
  (folders: Folders): void => {
    repository(folders)
    git(folders.workspace, 'config', key, value)
    for (const [name, text] of Object.entries(files)) write(join(folders.workspace, name), text)
  }

const EVIL = 'evil() { git -C "$1" config core.bare false; git -C "$1" config core.fsmonitor "touch $MARK; false"; }'
const HOOK = 'printf "#!/bin/sh\\ntouch $MARK\\n"'
const status = (folder: string): Way['next'] => [folder, 'status', '--short']
const commit = ['.', 'commit', '-q', '--allow-empty', '-m', 'Next'] as const

export const WAYS: Readonly<Record<string, Way>> = {
  'a repository where none was': { script: 'git init -q; evil .', next: status('.') },
  'a nested repository': { before: repository, script: 'git init -q sub; evil sub', next: status('sub') },
  'a nested repository that is there': {
    before: (folders) => {
      repository(folders)
      git(folders.workspace, 'init', '-q', 'deep/er/sub')
    },
    script: 'evil deep/er/sub; mv deep deeper; mv deeper deep',
    next: status('deep/er/sub'),
  },
  'the list of a rebase': {
    before: (folders) => {
      repository(folders)
      const editor = ['-c', 'sequence.editor=sed -i 1ibreak']
      git(folders.workspace, ...editor, 'rebase', '-q', '-i', 'HEAD~1')
    },
    script: 'echo "exec touch $MARK" >> .git/rebase-merge/git-rebase-todo',
    next: ['.', 'rebase', '--continue'],
  },
  'a new rebase': {
    before: repository,
    script: `mkdir .git/rebase-merge; cd .git/rebase-merge; git rev-parse HEAD | tee onto > orig-head; echo refs/heads/main > head-name; touch interactive done; echo 1 > msgnum; echo 1 > end; echo "exec touch $MARK" > git-rebase-todo`,
    next: ['.', 'rebase', '--continue'],
  },
  'the folder of hooks': {
    before: configured('core.hooksPath', 'tools/hooks', { 'tools/hooks/readme': '' }),
    script: `${HOOK} > tools/hooks/pre-commit; chmod 755 tools/hooks/pre-commit`,
    next: commit,
  },
  'a folder of hooks that was not there': {
    before: configured('core.hooksPath', 'my-hooks'),
    script: `mkdir my-hooks; ${HOOK} > my-hooks/pre-commit; chmod 755 my-hooks/pre-commit`,
    next: commit,
  },
  'a folder of hooks of the person': {
    before: (folders) => {
      repository(folders)
      write(join(folders.top, 'home/.gitconfig'), '[core]\n\thooksPath = scripts/git\n')
    },
    script: `mkdir -p scripts/git; ${HOOK} > scripts/git/pre-commit; chmod 755 scripts/git/pre-commit`,
    next: commit,
  },
  'a bare layout in a folder': {
    before: repository,
    script: 'git init -q --bare sub; evil sub; git -C sub config core.worktree .',
    next: status('sub'),
  },
  'a file that leads to a repository': {
    before: repository,
    script: 'git init -q sub; evil sub; mv sub/.git store; echo "gitdir: ../store" > sub/.git',
    next: status('sub'),
  },
  'a link to a repository': {
    script: 'git init -q sub; evil sub; mv sub/.git store; ln -s ../store sub/.git',
    next: status('sub'),
  },
  'a link that was there and leads nowhere': {
    before: ({ workspace }) => execFileSync('ln', ['-s', 'store', join(workspace, '.git')]),
    script: 'git init -q x; evil x; mv x/.git store',
    next: status('.'),
  },
  'a repository in parts': {
    before: repository,
    script:
      'git init -q x; evil x; mkdir sub; mv x/.git/objects x/.git/refs sub; mv x/.git/config sub; mkdir two; cp x/.git/HEAD two; echo ../sub > two/commondir; git -C two config core.worktree . || true',
    next: status('two'),
  },
  'a repository in a package': {
    before: repository,
    script: 'mkdir -p node_modules/a/b; git init -q node_modules/a/b; evil node_modules/a/b',
    next: status('node_modules/a/b'),
  },
  'a folder that cannot be listed': {
    before: repository,
    script: 'git init -q sub; evil sub; chmod 0311 sub',
    next: status('sub'),
  },
  'the settings of a linked worktree': {
    before: (folders) => {
      repository(folders)
      git(folders.workspace, 'worktree', 'add', '-q', 'linked')
      git(folders.workspace, 'config', 'extensions.worktreeConfig', 'true')
    },
    script: 'printf "[core]\\n\\tfsmonitor = touch $MARK; false\\n" > .git/worktrees/linked/config.worktree',
    next: status('linked'),
  },
  'a file that the settings include': {
    before: configured('include.path', '../team.gitconfig', { 'team.gitconfig': '' }),
    script: 'printf "[core]\\n\\tfsmonitor = \\"touch $MARK; false\\"\\n" > team.gitconfig',
    next: status('.'),
  },
  'a file that they would include': {
    before: configured('include.path', '../team/gitconfig'),
    script: 'mkdir team; printf "[core]\\n\\tfsmonitor = \\"touch $MARK; false\\"\\n" > team/gitconfig',
    next: status('.'),
  },
  'the program of a filter': {
    before: (folders) => {
      configured('filter.own.clean', 'sh tools/clean.sh', { 'tools/clean.sh': 'cat\n' })(folders)
      write(join(folders.workspace, '.gitattributes'), '*.txt filter=own\n')
    },
    script: 'echo "touch $MARK; cat" > tools/clean.sh; echo b > a.txt',
    next: ['.', 'add', 'a.txt'],
  },
  'the program of an alias': {
    before: configured('alias.lint', '!./lint.sh'),
    script: `${HOOK} > lint.sh; chmod 755 lint.sh`,
    next: ['.', 'lint'],
  },
  'a message that is a link': {
    before: repository,
    script: 'rm -f .git/COMMIT_EDITMSG; ln -s $MARK .git/COMMIT_EDITMSG',
    next: commit,
  },
}

/** Writes of tools, all together; then each folder is looked at by git. */
const FSMONITOR = '[core]\n\trepositoryformatversion = 0\n\tworktree = .\n\tfsmonitor = "touch MARK; false"\n'
const WRITES: readonly (readonly [path: string, content: string])[] = [
  ...[
    '.git',
    '.GIT',
    'sub/.git',
    '.git.',
    '.git ',
    'git~1',
    '.g\u200cit',
    '.Git::$INDEX_ALLOCATION',
    'deep/er/.git/modules/x',
  ].flatMap(
    (folder) =>
      [
        [`${folder}/config`, FSMONITOR],
        [`${folder}/hooks/pre-commit`, '#!/bin/sh\ntouch MARK\n'],
      ] as const,
  ),
  ['file/.git', 'gitdir: ../bare\n'],
  ['bare/config', FSMONITOR],
  ['bare/objects/a', ''],
  ['bare/refs/a', ''],
  ['bare/HEAD', 'ref: refs/heads/main\n'],
  ['parts/config', FSMONITOR],
  ['parts/HEAD', 'ref: refs/heads/main\n'],
  ['parts/commondir', '.\n'],
  ['parts/objects/a', ''],
  ['parts/refs/a', ''],
]

const withHome = async <T>(home: string, work: () => Promise<T>): Promise<T> => {
  const { HOME, XDG_CONFIG_HOME } = process.env
  Object.assign(process.env, { HOME: home })
  delete process.env.XDG_CONFIG_HOME
  try {
    return await work()
  } finally {
    Object.assign(process.env, { HOME })
    if (XDG_CONFIG_HOME !== undefined) Object.assign(process.env, { XDG_CONFIG_HOME })
  }
}

/** The ways of programs by which code ran. */
export async function runsByPrograms(): Promise<string[]> {
  const [kind] = await kindsHere()
  if (kind === undefined) return []
  const through: string[] = []
  for (const [name, { before, script, next }] of Object.entries(WAYS)) {
    const folders = await createWorkspace()
    const { top, workspace } = folders
    const mark = join(top, 'mark')
    mkdirSync(join(top, 'home'))
    await withHome(join(top, 'home'), async () => {
      before?.(folders)
      const shell = createShell(new ProgramRunner({ sandbox: kind, guarded: { folders: [], programs: [] } }))
      await shell.run({ script: `MARK=${mark}; ${EVIL}; ${script}`, timeoutMs: 30_000 }, createContext(workspace))
      const [folder, ...args] = next
      const cwd = join(workspace, folder)
      if (existsSync(cwd))
        spawnSync('git', [...AUTHOR, ...args], {
          cwd,
          timeout: 10_000,
          stdio: 'ignore',
          env: { ...process.env, EDITOR: 'true' },
        })
    })
    if (existsSync(mark)) through.push(name)
  }
  return through
}

/** The files that a tool wrote with `--yes` of which git makes a repository. */
export async function writtenByTools(): Promise<string[]> {
  const { top, workspace } = await createWorkspace()
  const mark = join(top, 'mark')
  const calls = WRITES.map(([path, content]) => ({
    tool: 'write_file',
    args: { path, content: content.replaceAll('MARK', mark) },
  }))
  const { outcomes } = await callTools(workspace, calls, { run: { approval: 'allow-write' } })
  const through = WRITES.filter(([path], index) => isGits(path) && outcomes[index]?.code === 'ok').map(([path]) => path)
  for (const folder of ['.', 'sub', 'file', 'bare', 'parts', 'deep/er']) {
    const cwd = join(workspace, folder)
    if (existsSync(cwd)) spawnSync('git', ['status'], { cwd, timeout: 10_000, stdio: 'ignore' })
    if (existsSync(mark)) through.push(`git runs in ${folder}`)
    if (existsSync(mark)) break
  }
  return through
}

const isGits = (path: string): boolean => /git/i.test(path) || path.includes('\u200c')

export const attack = async (): Promise<string[]> => [...(await runsByPrograms()), ...(await writtenByTools())]
