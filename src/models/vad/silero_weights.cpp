#include "models/vad/silero_weights.h"

#include <cstddef>

#include "base/bytes.h"

// The assembler puts a file where a name begins and another one where it ends. C++20 has no word
// for that.
#if defined(__APPLE__)
#define WHINCHAT_SECTION ".const_data"
#define WHINCHAT_SYMBOL(name) "_" name
#else
#define WHINCHAT_SECTION ".section .rodata"
#define WHINCHAT_SYMBOL(name) name
#endif

asm(WHINCHAT_SECTION "\n.balign 64\n"                                                 //
    WHINCHAT_SYMBOL("kWhinchatSilero16k") ":\n.incbin \"" WHINCHAT_SILERO_16K "\"\n"  //
    WHINCHAT_SYMBOL("kWhinchatSilero16kEnd") ":\n.balign 64\n"                        //
    WHINCHAT_SYMBOL("kWhinchatSilero8k") ":\n.incbin \"" WHINCHAT_SILERO_8K "\"\n"    //
    WHINCHAT_SYMBOL("kWhinchatSilero8kEnd") ":\n.byte 0\n.text\n");

extern "C" {
extern const std::byte kWhinchatSilero16k[], kWhinchatSilero16kEnd[];
extern const std::byte kWhinchatSilero8k[], kWhinchatSilero8kEnd[];
}

namespace whinchat::models::vad {

base::Bytes silero_weights_16k() { return {kWhinchatSilero16k, kWhinchatSilero16kEnd}; }
base::Bytes silero_weights_8k() { return {kWhinchatSilero8k, kWhinchatSilero8kEnd}; }

}  // namespace whinchat::models::vad
