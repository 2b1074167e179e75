import { execFileSync } from 'node:child_process'
import { definePlugin } from '../../../src/index.ts'
import { complexityOf } from './answers.ts'

/** Starts a program by itself. */
export default definePlugin('spawns', ({ hooks }) => {
  hooks.analyze.tap('spawns', (answer, { task }) => {
    if (answer !== undefined) return answer
    const printed = execFileSync(process.execPath, ['--version'], { encoding: 'utf8' })
    return { ...complexityOf(task), explanation: [printed] }
  })
})
