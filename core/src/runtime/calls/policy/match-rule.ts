import { homedir } from 'node:os'
import nodePath, { type PlatformPath } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PolicyRule } from '../../../contracts/policy-rule.ts'
import type { Touched } from '../../../contracts/tool/tool.ts'
import { matchesGlob } from '../../../support/settings/matches-glob.ts'

/** A call as rules look at it. */
export interface RuledCall {
  tool: string
  args: unknown
  /** By the tool's own word; undefined: it does not say, so that every text in the arguments may be anything. */
  touched?: Touched | undefined
}

/**
 * Whether a rule is about a call.
 *
 * What is allowed has to lie wholly within the rule, by the word of the tool: what a tool does not say is not allowed by a
 * condition. What is forbidden, or asked about, need only touch it; of a tool that does not say, any text may.
 *
 * @param system whose paths they are; on Windows `\` is `/`, and large and small letters are the same
 */
export function applies(
  rule: PolicyRule,
  call: RuledCall,
  workspace: string,
  system: PlatformPath = nodePath,
): boolean {
  if (!matchesGlob(rule.tool, call.tool)) return false
  const { paths, hosts, command } = rule
  const allows = rule.decision === 'allow'
  const match = allows ? matchesPath : isWithin
  if (
    paths !== undefined &&
    !isMet(allows, pathsOf(call, allows), (path) => paths.some((glob) => match(glob, path, workspace, system)))
  )
    return false
  if (
    hosts !== undefined &&
    !isMet(allows, hostsOf(call, allows), (host) => hosts.some((glob) => matchesHost(glob, host)))
  )
    return false
  return command === undefined || (allows ? beginsWith(call, command) : holdsWords(call, command))
}

function isMet(allows: boolean, values: readonly string[], matches: (value: string) => boolean): boolean {
  return allows ? values.length > 0 && values.every(matches) : values.some(matches)
}

/** Whether a path, or a folder that it is in, matches a glob. */
export function isWithin(glob: string, path: string, workspace: string, system: PlatformPath = nodePath): boolean {
  const all = spellings(glob, system)
  for (let part = toAbsolute(path, workspace, system); part !== ''; part = part.slice(0, part.lastIndexOf('/'))) {
    if (matchesOne(all, part, toCompared(workspace, system))) return true
  }
  return all.includes('/')
}

/** Whether a path is a folder or in it, both from the workspace. */
export function isInside(folder: string, path: string): boolean {
  return folder === '.' ? !path.startsWith('..') : path === folder || path.startsWith(`${folder}/`)
}

/** Whether a path matches a glob, from the workspace or as a whole; the glob's `**` followed by `/` may be nothing. */
function matchesPath(glob: string, path: string, workspace: string, system: PlatformPath): boolean {
  return matchesOne(spellings(glob, system), toAbsolute(path, workspace, system), toCompared(workspace, system))
}

function matchesOne(globs: readonly string[], absolute: string, workspace: string): boolean {
  const folder = workspace.endsWith('/') ? workspace : `${workspace}/`
  const relative = absolute.startsWith(folder) ? absolute.slice(folder.length) : absolute
  return globs.some((glob) => matchesGlob(glob, relative) || matchesGlob(glob, absolute))
}

/** Most paths are plain names already, and there may be many. */
const toAbsolute = (path: string, workspace: string, system: PlatformPath): string =>
  toCompared(
    /^[\w-][\w-]*(?:[./][\w-]+)*$/.test(path)
      ? `${workspace === '/' ? '' : workspace}/${path}`
      : system.resolve(workspace, toPlain(path, system)),
    system,
  )

/** Of all spellings that a system takes for the same path one. */
const toCompared = (path: string, { sep }: PlatformPath): string =>
  sep === '/' ? path : path.replaceAll('\\', '/').toLowerCase()

const MOST_SPELLINGS = 64
const MOST_KNOWN = 1_000

const known = new Map<string, readonly string[]>()

/** A glob with and without each folder that may be missing. */
function spellings(glob: string, system: PlatformPath): readonly string[] {
  const found = known.get(glob) ?? spell(toCompared(toPlain(glob, system), system))
  if (known.size < MOST_KNOWN && system === nodePath) known.set(glob, found)
  return found
}

function spell(glob: string): string[] {
  const [head = '', ...rest] = glob.split('**/')
  return rest.reduce(
    (found, part) =>
      found.length < MOST_SPELLINGS
        ? found.flatMap((start) => [`${start}**/${part}`, `${start}${part}`])
        : found.map((start) => `${start}*${part}`),
    [head],
  )
}

/** A path without scheme, `~`, `.` in front, and `/` at its end. */
function toPlain(text: string, system: PlatformPath): string {
  const path = /^file:/i.test(text) ? fromFileUrl(text, system) : text.replace(/^~(?=\/|$)/, () => homedir())
  const short = path.replace(/^(?:\.\/+)+/, '')
  return short.length > 1 && short.endsWith('/') ? short.replace(/(?<!\/)\/+$/, '') || '/' : short
}

function fromFileUrl(text: string, { sep }: PlatformPath): string {
  try {
    return fileURLToPath(new URL(text), { windows: sep !== '/' })
  } catch {
    return text.replace(/^file:\/*/i, '/')
  }
}

const LONGEST_PATH = 4_096

function pathsOf({ args, touched }: RuledCall, allows: boolean): readonly string[] {
  if (touched !== undefined) return touched.paths ?? []
  return allows ? [] : textsOf(args).filter((text) => text.length <= LONGEST_PATH && !text.includes('\n'))
}

function hostsOf({ args, touched }: RuledCall, allows: boolean): readonly string[] {
  if (touched !== undefined) return (touched.hosts ?? []).map((text) => toHost(text) ?? text)
  return allows ? [] : textsOf(args).flatMap(hostsIn)
}

/** Each host that a text may name: addresses in it, also encoded ones, and words that could be a host. */
function hostsIn(text: string): string[] {
  const words = text.split(/[\s,;|"'<>(){}=&]+/).filter(Boolean)
  return [text, ...words, ...words.map(decoded)].flatMap((word) => {
    const scheme = word.search(/(?:https?|wss?|ftp):[/\\]/i)
    const found = [toHost(word), scheme > 0 ? toHost(word.slice(scheme)) : undefined]
    return found.filter((host) => host !== undefined)
  })
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word)
  } catch {
    return word
  }
}

/** The host of an address, of one without a scheme, or of a name, as the URL parser spells it. */
export function toHost(text: string): string | undefined {
  const word = text.trim()
  const found = [word, `https:${word}`, `https://${word}`, `https://[${word}]`].find(
    (url, index) => URL.canParse(url) && new URL(url).hostname !== '' && (index !== 1 || /^[/\\]{2}/.test(word)),
  )
  return found === undefined ? undefined : new URL(found).hostname.replace(/\.$/, '')
}

/** Whether the program and its first arguments are those of a rule. A script may hold more than its first words say. */
function beginsWith({ touched }: RuledCall, command: readonly string[]): boolean {
  const called = touched?.command
  if (called === undefined || typeof called === 'string' || called.length === 0) return false
  return command.every((word, index) => called[index] === word)
}

/** Whether the words of a rule stand anywhere in the command, in their order; the program in any folder. */
function holdsWords({ args, touched }: RuledCall, command: readonly string[]): boolean {
  const texts = touched === undefined ? textsOf(args) : [touched.command ?? []].flat()
  if (texts.length === 0) return false
  let at = 0
  for (const word of texts.flatMap((text) => [...new Set([text, ...text.split(SHELL_SIGNS)])])) {
    const wanted = command[at]
    if (wanted === undefined) break
    if (word === wanted || (at === 0 && nodePath.basename(word) === nodePath.basename(wanted))) at++
  }
  return at === command.length
}

const SHELL_SIGNS = /[\s;&|()<>`$"'\\{}=]+/

/** Every text in the arguments, at any depth; names of fields too, where they could be a path or an address. */
export function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsOf)
  if (typeof value !== 'object' || value === null) return []
  if (value instanceof URL) return [value.href]
  if (value instanceof Set || value instanceof Map) return textsOf([...value])
  return Object.entries(value).flatMap(([name, item]) => [...(/[./:]/.test(name) ? [name] : []), ...textsOf(item)])
}

function matchesHost(glob: string, host: string): boolean {
  if (glob === '*') return true
  const below = glob.startsWith('*.')
  const name = below ? glob.slice(2) : glob
  const plain = name.includes('*') ? name.toLowerCase() : (toHost(name) ?? name)
  return matchesGlob(plain, host) || (below && matchesGlob(`*.${plain}`, host))
}
