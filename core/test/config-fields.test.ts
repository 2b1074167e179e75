/** A setting that is accepted has an effect: some source reads each field of the schema. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SvcConfig } from '../src/contracts/config.ts'

const test = suite('config fields')

const root = join(import.meta.dirname, '..', '..')

/** The sources that could read a setting, without comments: all but the schemas themselves. */
const source = ['core', 'plugins', 'sdk', 'server', 'cli']
  .flatMap((name) => {
    const folder = join(root, name, 'src')
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.startsWith('contracts/'))
      .map((path) => readFileSync(join(folder, path), 'utf8'))
  })
  .join('\n')
  .replace(/^\s*(\/\/|\/?\*).*$/gm, '')

interface Shape {
  properties?: Record<string, Shape>
  patternProperties?: Record<string, Shape>
  anyOf?: Shape[]
  items?: Shape
}

/** The pointer of each field that a schema knows; `*` stands for an id. */
function fieldsOf({ properties = {}, patternProperties = {}, anyOf = [], items }: Shape, at = ''): string[] {
  return [
    ...Object.entries(properties).flatMap(([name, shape]) => [`${at}/${name}`, ...fieldsOf(shape, `${at}/${name}`)]),
    ...Object.values(patternProperties).flatMap((shape) => fieldsOf(shape, `${at}/*`)),
    ...[...anyOf, ...(items === undefined ? [] : [items])].flatMap((shape) => fieldsOf(shape, at)),
  ]
}

/** `config.field`, `{ field }` or `{ field: name = value }` taken apart; `field: value` alone only writes it. */
const isRead = (name: string): boolean => new RegExp(`(\\.|[{,]\\s*)${name}\\b(?!\\s*:(?!\\s*\\w+ =))`).test(source)

/** Read as `limits[layer]`. */
const BY_LAYER = /^\/memory\/limits\//

test('every field of the schema is read by some source', () => {
  const fields = fieldsOf(SvcConfig as Shape)
  assert.ok(fields.length > 80, String(fields.length))
  const unread = fields.filter((pointer) => !BY_LAYER.test(pointer) && !isRead(pointer.split('/').at(-1) ?? ''))
  assert.equal(unread, [])
})

test.run()
