// Marks what libwhinchat exports; everything else stays hidden.
#pragma once

#define WHINCHAT_API __attribute__((visibility("default")))
