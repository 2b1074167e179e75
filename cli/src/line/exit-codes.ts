/** Exit codes of svc and what they mean. */
export const EXIT_CODES: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'done'],
  ['1', 'the run failed; or standard output could not be written, as on a full device: standard error says why'],
  ['2', 'wrong command or option'],
  ['3', 'configuration or trust'],
  ['4', 'the server refuses the key'],
  ['5', 'provider or network, or a model that the provider does not have'],
  [
    '6',
    'incomplete: a limit was reached, the answer failed a check, or it says that it does not answer, or not all of it (not_found); it is printed',
  ],
  ['7', 'refused by policy, or a call that the task needed was denied'],
  ['8', 'the run waits for an answer, and no terminal is there: standard error says how to give it'],
  ['70', 'a bug in svc'],
  ['124', 'not done within --timeout'],
  ['130, 143', 'stopped by Ctrl-C (once: svc prints what there is; twice: at once) or SIGTERM'],
  ['141', 'the reader of standard output has gone, as with svc runs list | head -1; nothing is said'],
]
