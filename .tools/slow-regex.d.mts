export declare function findSlowText(
  source: string,
  flags: string,
): { prefix: string; pump: string; suffix: string } | undefined
