import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ERROR_CODES } from '../src/errors.ts'

const test = suite('error codes')

const PACKAGES = ['core', 'plugins', 'sdk', 'server', 'cli']
const root = join(import.meta.dirname, '..', '..')

/** Every source as one text, without comments and without the table of the codes itself. */
const source = PACKAGES.flatMap((name) => {
  const folder = join(root, name, 'src')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join(folder, path), 'utf8'))
})
  .join('\n')
  .replace(/export const ERROR_CODES = \{[\s\S]*?\n\}/, '')
  .replace(/^\s*(\/\/|\/?\*).*$/gm, '')

/** `${kind}_not_found` of the store is thrown for each kind of thing that it keeps. */
const BY_KIND = ['run_not_found', 'thread_not_found', 'approval_not_found']

test('every documented code is used by a source, so none is a promise that nothing keeps', () => {
  const unused = Object.keys(ERROR_CODES).filter((code) => !BY_KIND.includes(code) && !source.includes(`'${code}'`))
  assert.equal(unused, [])
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the source's own text
  assert.ok(source.includes('`${kind}_not_found`'))
})

test.run()
