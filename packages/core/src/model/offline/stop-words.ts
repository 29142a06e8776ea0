function list(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/))
}

/** Words that say nothing about what is asked, the small talk of tool descriptions included. */
export const STOP_WORDS: ReadonlySet<string> = list(`
  a an the this that these those it its it's them they their theirs he she his her him we us our you your yours i me my mine
  and or but nor so if then than as at by for from in into of off on onto out over to up with within without via per upon
  is are was were be been being am do does did done doing have has had having will would shall should can could may might must
  not no yes also too very just only own same such each both all any some every more most other another else there here
  what how why who whom whose when where which while during between among through against before after until about above below
  use uses used using get gets got getting return returns returned provide provides provided given give gives let lets make makes made
  help helps helping want wants need needs needed please kindly tool tools agent agents subagent assistant specialist helper expert
  handle handles handling request requests requested user users ask asks asked asking answer answers question questions task tasks
  work works thing things way ways e.g eg i.e ie etc able like well good best new now later back s t d ll re ve m don didn doesn isn aren won
`)

/** Words that fit almost any tool: they may break a tie, but never choose a tool alone. */
export const WEAK_WORDS: ReadonlySet<string> = list(`
  city name text number date topic list value id string type person place country first one two three result results input output
  format simple short long structured concise final current currently general specific page line item items detail details key keys
  world people year years day days part parts different available example examples many much several various time times say says said
  turn take takes put set sets show shows tell full complete data information info include includes including based kind support supports
  content word words read open run create creates created start end high low big small
`)
