import { join } from 'node:path'
import { suite } from 'uvu'
import { addMatrix } from './fixtures/durability/matrix-suite.ts'
import { folderOf } from './fixtures/folder-of.ts'

const isNightly = process.env.SVC_NIGHTLY === '1'
const test = suite('crash matrix')
const root = folderOf()
let homes = 0

addMatrix(test, () => ({ dir: join(root, String(++homes)) }), {
  store: 'SQLite',
  atWrites: isNightly ? Number.POSITIVE_INFINITY : 8,
  atRandom: isNightly ? 1_008 : 24,
  inSeries: 12,
  lifeMs: [60, 960],
  processes: 3,
})

test.run()
