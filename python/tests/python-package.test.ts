/** The Python package as others get it, its examples, and a server that dies under it. */
import { suite } from 'uvu'
import { addModules, MODULES } from './modules.ts'

const test = suite('python package')

addModules(test, MODULES.package)

test.run()
