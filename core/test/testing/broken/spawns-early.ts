import childProcess from 'node:child_process'
import { definePlugin } from '../../../src/index.ts'
import { complexityOf } from './answers.ts'

/** Taken before anybody could replace it. */
const { spawn } = childProcess

/** Starts a program by itself. */
export default definePlugin('spawns-early', ({ hooks }) => {
  hooks.analyze.tapPromise('spawns-early', async (answer, { task }) => {
    if (answer !== undefined) return answer
    spawn(process.execPath, ['--version'], { stdio: 'ignore' }).unref()
    return complexityOf(task)
  })
})
