import { spawnSync } from 'node:child_process'
import type { Keyboard } from './keyboard.ts'

/** Programs of the system, and none of the folder. */
const PATH = '/usr/bin:/bin'
/** Who changes the terminal from the background is stopped. Says how the terminal was. */
const SILENCE = `if [ -r /proc/$$/stat ]; then read -r _ _ _ _ own _ _ front _ < /proc/$$/stat
else set -- $(ps -o pgid=,tpgid= -p $$); own=$1 front=$2; fi
[ -n "$own" ] && [ "$own" = "$front" ] && stty -g && stty -echo`

/**
 * Keeps what is typed off the screen, and leaves it to the program that reads next; keys that send signals send them. Node
 * gives the terminal back where it ends before `close`. In the background, and without a `stty`, nothing is changed.
 */
export function silenceKeyboard(): Keyboard {
  const run = (command: string, ...args: string[]): string =>
    spawnSync(command, args, { stdio: [0, 'pipe', 'ignore'], env: { PATH }, encoding: 'utf8' }).stdout ?? ''
  const before = run('sh', '-c', SILENCE).trim()
  return {
    close() {
      if (before !== '') run('stty', before)
    },
  }
}
