/** Words that open a sentence with a capital and are no names: commands, and the nouns that headlines begin with. */
const COMMON: ReadonlySet<string> = new Set(
  `log set change move start stop restart enable disable register transfer improve track query reset assign close merge approve reject
   submit rename copy archive invite generate scan lint switch monitor watch look put pause skip increase decrease lower raise rate rank
   filter group subscribe unsubscribe follow try wait finish begin continue keep learn teach study train measure estimate predict forecast
   simulate solve prove plot evaluate determine decide pick choose select match map estimate inspect analyse scale deploy rollback ignore
   remember forget bring grab pull push load import export extract parse clean fill reply respond forward share attach sign lock unlock block
   unblock ban grant revoke charge ship return replace repair order request apply join leave meet visit travel drive fly walk eat drink
   weather temperature price prices news population capital history facts information details status stock stocks time date directions
   flights flight hotels hotel tickets ticket revenue sales cost costs budget users user customers customer server servers database
   code function text notes note email message meeting room recipe recipes list lists total average sum amount number today tomorrow
   yesterday now tonight hello hi hey thanks thank good dear yes no ok okay sorry sure maybe great nice morning evening afternoon urgent
   important summary overview definition meaning difference life love music art science people children cats dogs water food money work
   school health energy oil tea coffee rice wheat climate traffic trains train bus latest best cheap cheapest top most many few big small
   new old long short high low someone somebody anyone anybody everyone everybody nobody something anything everything nothing`
    .trim()
    .split(/\s+/),
)

export function isCommonOpening(word: string): boolean {
  return COMMON.has(word)
}
