// Who hit what: hands objects to detections, image by image, under one of the rules of METHODS 0.5,
// for all cells of threshold and area at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cells.hpp"
#include "overlaps.hpp"
#include "parallel.hpp"
#include "tables.hpp"

namespace boxlens {

enum class Rule {
    coco,         // best free object, last of equals; regular before ignored; regions reusable
    voc,          // best object, first of equals, free or not
    hoiem,        // best free object, first of equals, ignored ones alike
    open_images,  // as voc; what stays unmatched may fall on a group-of region
};

struct AssignChoice {
    Rule rule = Rule::coco;
    std::int64_t max_dets = 100;
    bool max_dets_per_class = true;  // false: per image over all classes (LVIS)
    bool keep_hits = false;
};

// Further marks of the rows, all optional.
struct Marks {
    const std::uint8_t* gt_ignored = nullptr;            // counts neither as found nor as missed
    const std::uint8_t* det_dropped = nullptr;           // takes no part at all
    const std::uint8_t* det_unmatched_ignored = nullptr; // no false positive even if unmatched
};

// One row per detection, one per ground truth. A detection is a false positive in the cells that are
// neither in det_tp, det_group nor det_ignored.
struct Matches {
    std::vector<Word> det_tp;
    std::vector<Word> det_group;    // first on a group-of region; only under Rule::open_images
    std::vector<Word> det_ignored;
    std::vector<std::int32_t> det_rank;  // by score within image (and class); -1: dropped
    std::vector<Word> gt_hit;
    std::vector<Word> gt_ignored;
    std::vector<std::int32_t> hit_row;  // if kept: [cell][detection], -1 none
};

namespace detail {

struct Candidate {
    double iou;
    std::int32_t gt_row;
};

class ImageAssigner {
  public:
    ImageAssigner(const DetectionColumns& dets, const GroundTruthColumns& gts,
                  const OverlapColumns& overlaps, const Cells& cells, const Marks& marks,
                  const AssignChoice& choice, std::size_t n_classes, Matches& out)
        : dets_(dets), gts_(gts), overlaps_(overlaps), cells_(cells), marks_(marks),
          choice_(choice), out_(out), seen_of_class_(n_classes, 0), taken_() {}

    void assign(std::size_t image) {
        first_gt_ = gts_.offsets[image];
        taken_.assign(static_cast<std::size_t>(gts_.offsets[image + 1] - first_gt_), 0);
        rank_image(image);
        for (std::int64_t d : order_) {
            std::int32_t rank = out_.det_rank[d];
            if (rank >= 0 && rank < choice_.max_dets) assign_detection(d);
        }
    }

  private:
    // Score descending, file order among equals (METHODS 0.3).
    void rank_image(std::size_t image) {
        order_.clear();
        bool sorted = true;
        for (std::int64_t d = dets_.offsets[image]; d < dets_.offsets[image + 1]; ++d) {
            sorted &= order_.empty() || !(dets_.score[order_.back()] < dets_.score[d]);
            order_.push_back(d);
        }
        if (!sorted)
            std::stable_sort(order_.begin(), order_.end(), [&](std::int64_t a, std::int64_t b) {
                return dets_.score[a] > dets_.score[b];
            });
        std::int32_t seen_in_image = 0;
        for (std::int64_t d : order_) {
            std::int32_t rank = choice_.max_dets_per_class ? seen_of_class_[dets_.class_row[d]]++
                                                           : seen_in_image++;
            // A dropped detection still uses up its place, as LVIS counts.
            bool dropped = marks_.det_dropped && marks_.det_dropped[d];
            out_.det_rank[d] = dropped ? -1 : rank;
        }
        for (std::int64_t d : order_) seen_of_class_[dets_.class_row[d]] = 0;
    }

    void assign_detection(std::int64_t d) {
        const Box& box = dets_.box[d];
        open_ = cells_.all();
        if (overlaps_.offsets[d] < overlaps_.offsets[d + 1]) {
            collect_candidates(d);
            switch (choice_.rule) {
                case Rule::coco: assign_coco(d); break;
                case Rule::voc: assign_voc(d); break;
                case Rule::hoiem: assign_hoiem(d); break;
                case Rule::open_images: assign_open_images(d); break;
            }
        }
        bool excused = marks_.det_unmatched_ignored && marks_.det_unmatched_ignored[d];
        out_.det_ignored[d] |= open_ & (excused ? cells_.all() : cells_.outside(box.w * box.h));
    }

    void collect_candidates(std::int64_t d) {
        candidates_.clear();
        for (std::int64_t p = overlaps_.offsets[d]; p < overlaps_.offsets[d + 1]; ++p)
            candidates_.push_back({overlaps_.iou[p], overlaps_.gt_row[p]});
        if (candidates_.size() < 2) return;
        bool last_wins = choice_.rule == Rule::coco;
        std::sort(candidates_.begin(), candidates_.end(),
                  [last_wins](const Candidate& a, const Candidate& b) {
                      if (a.iou != b.iou) return a.iou > b.iou;
                      return last_wins ? a.gt_row > b.gt_row : a.gt_row < b.gt_row;
                  });
    }

    void assign_coco(std::int64_t d) {
        for (const Candidate& c : candidates_)
            hit(d, c, open_ & cells_.reached(c.iou) & ~taken(c) & ~out_.gt_ignored[c.gt_row]);
        for (const Candidate& c : candidates_) {
            Word reusable = gts_.region[c.gt_row] ? cells_.all() : ~taken(c);
            ignore(d, c, open_ & cells_.reached(c.iou) & reusable & out_.gt_ignored[c.gt_row]);
        }
    }

    void assign_hoiem(std::int64_t d) {
        for (const Candidate& c : candidates_) {
            Word free = open_ & cells_.reached(c.iou) & ~taken(c);
            hit(d, c, free & ~out_.gt_ignored[c.gt_row]);
            ignore(d, c, free & out_.gt_ignored[c.gt_row]);
        }
    }

    void assign_voc(std::int64_t d) { assign_best(d, candidates_.front()); }

    // Any number of detections may fall on an ignored object; a taken one makes a false positive.
    void assign_best(std::int64_t d, const Candidate& best) {
        Word reached = open_ & cells_.reached(best.iou);
        hit(d, best, reached & ~taken(best) & ~out_.gt_ignored[best.gt_row]);
        ignore(d, best, reached & out_.gt_ignored[best.gt_row]);
    }

    // METHODS 9.4: the best-scored detection on a group-of region counts, later ones are ignored.
    void assign_open_images(std::int64_t d) {
        auto is_region = [&](const Candidate& c) { return gts_.region[c.gt_row] != 0; };
        auto object = std::find_if_not(candidates_.begin(), candidates_.end(), is_region);
        if (object != candidates_.end()) assign_best(d, *object);
        auto region = std::find_if(candidates_.begin(), candidates_.end(), is_region);
        if (region == candidates_.end()) return;
        Word reached = open_ & cells_.reached(region->iou);
        Word first = reached & ~taken(*region) & ~out_.gt_ignored[region->gt_row];
        out_.det_group[d] |= first;
        hold(d, *region, first);
        out_.gt_hit[region->gt_row] |= first;
        ignore(d, *region, reached & ~first);
    }

    Word taken(const Candidate& c) const {
        return taken_[static_cast<std::size_t>(c.gt_row - first_gt_)];
    }

    void hit(std::int64_t d, const Candidate& c, Word where) {
        out_.det_tp[d] |= where;
        out_.gt_hit[c.gt_row] |= where;
        hold(d, c, where);
    }

    void ignore(std::int64_t d, const Candidate& c, Word where) {
        out_.det_ignored[d] |= where;
        hold(d, c, where);
    }

    void hold(std::int64_t d, const Candidate& c, Word where) {
        taken_[static_cast<std::size_t>(c.gt_row - first_gt_)] |= where;
        open_ &= ~where;
        if (!choice_.keep_hits) return;
        for (Word rest = where; rest; rest &= rest - 1) {
            auto cell = static_cast<std::size_t>(__builtin_ctzll(rest));
            out_.hit_row[cell * dets_.n + static_cast<std::size_t>(d)] = c.gt_row;
        }
    }

    const DetectionColumns& dets_;
    const GroundTruthColumns& gts_;
    const OverlapColumns& overlaps_;
    const Cells& cells_;
    const Marks& marks_;
    const AssignChoice& choice_;
    Matches& out_;
    std::vector<std::int32_t> seen_of_class_;
    std::vector<Word> taken_;  // by object of the image at hand
    std::vector<std::int64_t> order_;
    std::vector<Candidate> candidates_;
    std::int64_t first_gt_ = 0;
    Word open_ = 0;  // cells in which the detection at hand has no object yet
};

}  // namespace detail

inline Matches assign(const DetectionColumns& dets, const GroundTruthColumns& gts,
                      const OverlapColumns& overlaps, const Cells& cells, const Marks& marks,
                      const AssignChoice& choice, std::size_t n_images, std::size_t n_classes,
                      int threads) {
    Matches out;
    out.det_tp.assign(dets.n, 0);
    if (choice.rule == Rule::open_images) out.det_group.assign(dets.n, 0);
    out.det_ignored.assign(dets.n, 0);
    out.det_rank.assign(dets.n, -1);
    out.gt_hit.assign(gts.n, 0);
    out.gt_ignored.resize(gts.n);
    if (choice.keep_hits) out.hit_row.assign(cells.n_cells() * dets.n, -1);
    for (std::size_t g = 0; g < gts.n; ++g) {
        bool always = marks.gt_ignored && marks.gt_ignored[g];
        out.gt_ignored[g] = always ? cells.all() : cells.outside(gts.area_px[g]);
    }

    constexpr std::size_t images_per_task = 128;
    const std::size_t n_tasks = (n_images + images_per_task - 1) / images_per_task;
    for_each_task(n_tasks, threads, [&] {
        return [&, assigner = detail::ImageAssigner(dets, gts, overlaps, cells, marks, choice,
                                                    n_classes, out)](std::size_t task) mutable {
            std::size_t first = task * images_per_task;
            std::size_t last = std::min(first + images_per_task, n_images);
            for (std::size_t image = first; image < last; ++image) assigner.assign(image);
        };
    });
    return out;
}

}  // namespace boxlens
