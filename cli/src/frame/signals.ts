/** What stopped a command while it ran. */
export interface Signals {
  /** 124 after the time-out, 130 or 143 after a signal, else undefined. */
  exitCode(): number | undefined
  stop(): void
}

const CODES = { SIGINT: 130, SIGTERM: 143 } as const

/** What asks a command to stop. */
export type StopCause = keyof typeof CODES | 'timeout'

/** Waits for the first signal. A second one ends the process at once. */
export function untilSignal(): Signals & { reason: Promise<string> } {
  let signals: Signals | undefined
  const reason = new Promise<string>((resolve) => {
    signals = catchSignals(undefined, resolve)
  })
  return { ...(signals as unknown as Signals), reason }
}

/**
 * The first signal, or the time-out, asks the run to stop, so that its result so far can be printed; a second signal
 * ends the process at once.
 */
export function catchSignals(
  timeoutMs: number | undefined,
  onStop: (reason: string, cause: StopCause) => void,
): Signals {
  let code: number | undefined
  const onSignal = (signal: NodeJS.Signals): void => {
    const cause = signal === 'SIGTERM' ? signal : 'SIGINT'
    if (code !== undefined) process.exit(CODES[cause])
    code = CODES[cause]
    onStop(signal === 'SIGINT' ? 'stopped' : `stopped by ${signal}`, cause)
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          code ??= 124
          onStop(`not finished within ${timeoutMs / 1000} s`, 'timeout')
        }, timeoutMs)
  return {
    exitCode: () => code,
    stop() {
      clearTimeout(timer)
      process.off('SIGINT', onSignal)
      process.off('SIGTERM', onSignal)
    },
  }
}
