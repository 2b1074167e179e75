import { lstatSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { filesOf, readRegularFile } from '@svc/core/config'
import { isInside } from '../files/workspace.ts'

/** What the configuration of git names in a workspace. Absolute paths. */
export interface GitPrograms {
  /** Programs, scripts, and further files of configuration. */
  readonly files: readonly string[]
  /** Folders of hooks and templates. */
  readonly folders: readonly string[]
}

const MOST_BYTES = 1_000_000
const MOST_CONFIGS = 50
/** Settings whose value is a program, a line of a shell, or a file that is obeyed. */
const PROGRAM =
  /^(?:fsmonitor|\w*command|editor|pager|askpass|helper|textconv|clean|smudge|process|driver|program|external|cmd|gitproxy|uploadpack|receivepack|packobjectshook|diffFilter|vcs|path|attributesfile|verify)$/i
const FOLDER = /^(?:hookspath|templatedir)$/i

/**
 * The files of a workspace that the configuration of its repositories, or the person's own, names: git runs or obeys them.
 *
 * @param tops folders that hold a `.git`, or are repositories by themselves
 */
export function findGitPrograms(workspace: string, tops: readonly string[]): GitPrograms {
  const files = new Set<string>()
  const folders = new Set<string>()
  for (const top of tops) {
    const open = [...configsOf(top), ...personsConfigs()]
    const read = new Set<string>()
    for (let config = open.pop(); config !== undefined && read.size < MOST_CONFIGS; config = open.pop()) {
      if (read.has(config)) continue
      read.add(config)
      for (const { section, key, value } of settingsOf(config)) {
        const places = [top, dirname(config)].flatMap((from) =>
          [value, value.replace(/^~(?=\/)/, homedir())].map((one) => resolve(from, one)),
        )
        if (FOLDER.test(key)) for (const place of places) folders.add(place)
        if (/^include/i.test(section) && key.toLowerCase() === 'path') open.push(...places)
        if (!PROGRAM.test(key) && !/^(?:alias|pager)$/i.test(section)) continue
        for (const word of filesOf(['sh', value.replace(/^!/, '')]))
          files.add(resolve(top, word)).add(resolve(dirname(config), word))
      }
    }
  }
  const isOwn = (path: string): boolean => path !== workspace && isInside(workspace, path)
  return { files: [...files].filter(isOwn), folders: [...folders].filter(isOwn) }
}

/** The files of configuration of the repository at a folder. */
function configsOf(top: string): string[] {
  const git = join(top, '.git')
  const found = lstatSync(git, { throwIfNoEntry: false })
  const dirs = [found === undefined ? top : git]
  if (found?.isFile() === true) {
    const dir = resolve(
      top,
      textOf(git)
        .replace(/^gitdir:\s*/, '')
        .trim(),
    )
    dirs.push(dir, resolve(dir, textOf(join(dir, 'commondir')).trim()))
  }
  return dirs.flatMap((dir) => [join(dir, 'config'), join(dir, 'config.worktree')])
}

function personsConfigs(): string[] {
  const home = process.env.HOME ?? homedir()
  return [
    join(home, '.gitconfig'),
    join(process.env.XDG_CONFIG_HOME ?? join(home, '.config'), 'git/config'),
    '/etc/gitconfig',
  ]
}

/** What a file of git's configuration sets, as it is written: nothing that it includes is followed. */
export function settingsOf(config: string): { section: string; key: string; value: string }[] {
  let section = ''
  return textOf(config)
    .replace(/\\\r?\n/g, '')
    .split('\n')
    .flatMap((line) => {
      const [, name, after] = /^\[\s*([\w.-]+)(?:[\s"][^\]]*)?\](.*)$/.exec(line.trim()) ?? []
      section = name ?? section
      const [, key = '', value = ''] = /^([\w-]+)\s*=(.*)$/.exec((after ?? line).trim()) ?? []
      return key === '' ? [] : [{ section, key, value: value.replace(/["\\]/g, '').trim() }]
    })
}

function textOf(path: string): string {
  const read = readRegularFile(path, MOST_BYTES)
  return 'bytes' in read ? read.bytes.toString('utf8') : ''
}
