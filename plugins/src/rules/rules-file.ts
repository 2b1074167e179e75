import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { type PolicyRule, type RulesFile, SvcError } from '@svc/core'
import {
  CODE_ENDINGS,
  changeOwnFile,
  configError,
  defaultUserDir,
  findConfigFile,
  parseData,
  readRegularFile,
} from '@svc/core/config'
import { canonicalJson, isForeign } from '@svc/core/support'
import { addToText } from './add-to-text.ts'

const MAX_BYTES = 1 << 20
/** What is made where a person has no config yet. */
const NEW_NAME = 'svc.config.json'

/** Fields that are empty in YAML are null. */
type Data = { policy?: { rules?: unknown[] | null } | null }

/**
 * The config in the person's own folder, as `always` writes rules to it: JSON and YAML, whose other lines stay as they are.
 *
 * @param userDir default as `defaultUserDir` has it
 */
export function openRulesFile(userDir: string = defaultUserDir()): RulesFile {
  return {
    get path() {
      return find(userDir)
    },
    async add(rule) {
      const path = find(userDir)
      if (path === undefined) throw configError(userDir, 'has no config that a rule can be written to')
      try {
        // A link, as programs that keep such files elsewhere make it, stays one.
        const real = existsSync(path) ? realpathSync(path) : path
        if (isForeign(real)) throw configError(real, 'is not written because it belongs to another user')
        const mode = statSync(real, { throwIfNoEntry: false })?.mode
        await changeOwnFile(dirname(real), basename(real), () => withRule(real, rule), mode && mode & 0o777)
      } catch (thrown) {
        if (SvcError.isInstance(thrown)) throw thrown
        const { code = 'unknown' } = thrown as NodeJS.ErrnoException
        throw configError(path, `cannot be written (${code})`, undefined, thrown)
      }
    },
  }
}

/** Where rules go; undefined for a config that is code, or in a file that is for more than svc, and for a folder of somebody else. */
function find(userDir: string): string | undefined {
  if (isForeign(userDir)) return undefined
  const file = findConfigFile(userDir)
  if (file === undefined) return join(userDir, NEW_NAME)
  const isData = !CODE_ENDINGS.includes(extname(file)) && basename(file) !== 'package.json'
  return isData && !isForeign(file) ? file : undefined
}

/** @returns the text of the file with the rule in it; undefined where the rule stands there already */
async function withRule(file: string, rule: PolicyRule): Promise<string | undefined> {
  const text = textOf(file)
  const before = asData(await parseData(text, file))
  const rules = before.policy?.rules ?? []
  const isRule = (other: unknown): boolean => canonicalJson(other) === canonicalJson(rule)
  if (Array.isArray(rules) && rules.some(isRule)) return undefined
  const isJson = extname(file) === '.json' || text.trimStart().startsWith('{')
  // The text of a config that is no object has no place for it.
  const changed = await Promise.resolve()
    .then(() => addToText(text, isJson, rule))
    .catch(() => text)
  const after = await parseData(changed, file).then(asData, () => undefined)
  // Whatever the file looks like: it says what it said, and the rule.
  const [added, ...others] = [after?.policy?.rules ?? []].flat().filter(isRule)
  const rest = without(after, isRule)
  if (added === undefined || others.length > 0 || canonicalJson(rest) !== canonicalJson(without(before, isRule)))
    throw configError(file, `has policy.rules written in a way that svc does not change: add ${JSON.stringify(rule)}`)
  return changed
}

function textOf(file: string): string {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return ''
  const read = readRegularFile(file, MAX_BYTES)
  if ('bytes' in read) return read.bytes.toString('utf8')
  throw configError(file, read.problem, undefined, read.cause)
}

const asData = (value: unknown): Data => (typeof value === 'object' && value !== null ? (value as Data) : {})

/** What a config says beside a rule; one without rules says the same as one with none, or with an empty field. */
function without({ policy, ...rest }: Data = {}, isRule: (rule: unknown) => boolean): unknown {
  const { rules: said, ...others } = policy ?? {}
  const rules = said ?? []
  return { ...rest, policy: { ...others, rules: Array.isArray(rules) ? rules.filter((rule) => !isRule(rule)) : rules } }
}
